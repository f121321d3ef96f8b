/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;

/**
 * Threads that do the same batch of work over and over, and time each by their own CPU time: what disturbs them shows as
 * batches that take more of it.
 *
 * <pre>java Batches [threads] [seconds] [batches]</pre>
 *
 * A batch walks trees by recursion, chases pointers through a megabyte, allocates a little and computes; it takes a ms or
 * so. With a number of batches each thread stops after so many. The first 500, in which code is compiled, do not count.
 * Prints "batch end=T cpu=C" for each batch, in ns of CLOCK_MONOTONIC and of CPU time, then the CPU time of all.
 */
public final class Batches {
    private static final int NODES = 1 << 15;
    private static final int DEPTH = 13;
    private static final int MOST = 1 << 18;
    private static final int WARMING = 500;
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    private static volatile long sink;

    private record Node(Node left, Node right, int value) {}

    private final int[] next = new int[NODES * 8];
    private final long[] ends = new long[MOST];
    private final long[] spent = new long[MOST];
    private int done;

    private Batches() {
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
        Node tree = grow(DEPTH, seed);
        long x = seed;
        for (int i = 0; i < 2; i++) {
            x += sum(tree) + chase(seed & next.length - 1, NODES) + mix(x | 1, NODES);
        }
        return x;
    }

    private void run(long end, int batches) {
        long x = 0;
        long before = BEAN.getCurrentThreadCpuTime();
        for (int i = 0; done < batches; i++) {
            x ^= batch(i & 1023);
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
        int batches = args.length > 2 ? Math.min(Integer.parseInt(args[2]), MOST) : MOST;
        long end = System.nanoTime() + (long) (seconds * 1e9);
        Batches[] all = new Batches[threads];
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            Batches b = all[t] = new Batches();
            workers[t] = new Thread(() -> b.run(end, batches), "worker-" + t);
            workers[t].start();
        }
        long total = 0;
        StringBuilder lines = new StringBuilder();
        for (int t = 0; t < threads; t++) {
            workers[t].join();
            for (int i = 0; i < all[t].done; i++) {
                lines.append("batch end=").append(all[t].ends[i]).append(" cpu=").append(all[t].spent[i]).append('\n');
            }
            total += Arrays.stream(all[t].spent, 0, all[t].done).sum();
        }
        System.out.print(lines);
        System.out.println("cpu_ns=" + total + " sink=" + sink);
    }
}
