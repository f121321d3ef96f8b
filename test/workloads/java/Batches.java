/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Threads that repeat the same batch of work, and time each batch by their own CPU time: a disturbance shows as
 * batches that take longer.
 *
 * <pre>java Batches [threads] [seconds] [batches] [halvings]</pre>
 *
 * A batch walks trees by recursion, chases pointers through a megabyte, allocates a little and computes; it
 * takes about a ms, halved the given number of times. Each thread stops after the given number of batches
 * (default 262,144). The first 500, in which code is compiled, do not count.
 * Prints "batch end=T cpu=C thread=N" for each batch, in ns of CLOCK_MONOTONIC and of CPU time, by thread worker-N, then the CPU
 * time of all.
 */
public final class Batches {
    private static final int NODES = 1 << 15;
    private static final int DEPTH = 13;
    private static final int WARMING = 500;
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    private record Node(Node left, Node right, int value) {}

    private final int[] next = new int[NODES * 8];
    private final int halvings;
    private final long[] ends;
    private final long[] spent;
    private int done;

    private Batches(int batches, int halvings) {
        this.halvings = halvings;
        ends = new long[batches];
        spent = new long[batches];
        // One cycle through all of it in strides that no prefetcher follows.
        for (int i = 0; i < next.length; i++) {
            next[i] = (i + 40_503) & next.length - 1;
        }
    }

    private static Node grow(int depth, int value) {
        return depth == 0 ? null : new Node(grow(depth - 1, 2 * value), grow(depth - 1, 2 * value + 1), value);
    }

    private static long sum(Node n) {
        return n == null ? 0 : sum(n.left()) + 3 * sum(n.right()) + n.value();
    }

    private long chase(int at, int steps) {
        long seen = 0;
        for (int i = 0; i < steps; i++) {
            at = next[at];
            seen ^= at;
        }
        return seen;
    }

    private static long mix(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    private long batch(int seed) {
        Node tree = grow(DEPTH - halvings, seed);
        int steps = NODES >> halvings;
        long x = seed;
        for (int i = 0; i < 2; i++) {
            x += sum(tree) + chase(seed & next.length - 1, steps) + mix(x | 1, steps);
        }
        return x;
    }

    private void run(long end) {
        long x = 0;
        long before = BEAN.getCurrentThreadCpuTime();
        for (int i = 0; done < ends.length; i++) {
            x ^= batch(i * 997);
            long cpu = BEAN.getCurrentThreadCpuTime();
            long now = System.nanoTime();
            if (now >= end) {
                break;
            }
            if (i >= WARMING) {
                ends[done] = now;
                spent[done++] = cpu - before;
            }
            before = cpu;
        }
        sink += x;
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 2;
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 10;
        int batches = args.length > 2 ? Integer.parseInt(args[2]) : 1 << 18;
        int halvings = args.length > 3 ? Integer.parseInt(args[3]) : 0;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        Batches[] all = new Batches[threads];
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            Batches b = all[t] = new Batches(batches, halvings);
            workers[t] = new Thread(() -> b.run(end), "worker-" + t);
            workers[t].start();
        }
        long total = 0;
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < threads; t++) {
            workers[t].join();
            for (int i = 0; i < all[t].done; i++) {
                lines.append("batch end=").append(all[t].ends[i]).append(" cpu=").append(all[t].spent[i]).append(" thread=").append(t).append('\n');
            }
            total += Arrays.stream(all[t].spent, 0, all[t].done).sum();
        }
        System.out.print(lines);
        System.out.println("cpu_ns=" + total + " sink=" + sink);
    }
}
