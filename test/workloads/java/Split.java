/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Split [SECONDS [apart]]: threads, each pinned to a CPU, that spend twice so many seconds of CPU time in three methods as
 * 6 : 3 : 1, one that sleeps, and one that keeps the garbage collector busy. The second method waits for memory. Two threads
 * have all three methods, or, apart, each method has a thread of its own. Prints the CPU time of each method, in ns, as the
 * threads measured it.
 */
public final class Split {
    private static final int THREADS = 2;
    private static final int LINES = 1 << 19; // of 64 bytes
    private static final int[] CHASE = new int[LINES * 16];
    private static final long[] PARTS = {6, 3, 1};
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
    static volatile long sink;
    static volatile Object garbage;

    private Split() {}

    static long most(int n) {
        long x = n;
        for (int i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return x;
    }

    static long some(int n) {
        int at = n % LINES;
        for (int i = n / 40; i > 0; i--) {
            at = CHASE[at * 16];
        }
        return at;
    }

    static long little(int n) {
        long x = n;
        for (int i = 0; i < n; i++) {
            x = x * 3935559000370003845L + 2691343689449507681L;
        }
        return x;
    }

    /** Has the method of that number, or all if it is below zero. */
    static void work(int only, long length, long[] spent) {
        int random = (int) System.nanoTime(); // else the threads would do the same at the same moments of their CPU time
        long before = BEAN.getCurrentThreadCpuTime();
        for (long until = before + length; before < until; ) {
            int next = Math.max(only, 0);
            for (int i = 0; i < PARTS.length; i++) { // whoever is furthest behind his part
                if (only < 0 && spent[i] * PARTS[next] < spent[next] * PARTS[i]) {
                    next = i;
                }
            }
            // Long enough that reading the clock is little of any method's. Not all of a length: who looks every so often
            // would see the same moment of each round.
            random = random * 1664525 + 1013904223;
            int n = 300_000 + (random >>> 16) * 9;
            switch (next) {
                case 0 -> sink += most(n);
                case 1 -> sink += some(n);
                default -> sink += little(n);
            }
            long now = BEAN.getCurrentThreadCpuTime();
            spent[next] += now - before;
            before = now;
        }
    }

    /** Keeps each worker on a CPU. Java has no call for it; util-linux has a command. */
    private static void pin() throws IOException, InterruptedException {
        int cpus = Runtime.getRuntime().availableProcessors();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path task : tasks) {
                String name = Files.readString(task.resolve("comm")).strip();
                if (name.startsWith("worker-")) {
                    int cpu = Integer.parseInt(name.substring("worker-".length())) % cpus;
                    new ProcessBuilder("taskset", "-cp", "" + cpu, task.getFileName().toString())
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start().waitFor();
                }
            }
        }
    }

    private static Thread daemon(String name, Runnable body) {
        Thread t = new Thread(body, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    private static void litter() {
        try {
            while (true) {
                Object[] list = new Object[2000];
                for (int i = 0; i < list.length; i++) {
                    list[i] = new byte[512];
                }
                garbage = list;
                Thread.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(1_000_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws InterruptedException, IOException {
        long length = (long) ((args.length > 0 ? Double.parseDouble(args[0]) : 5) * 1e9);
        boolean apart = args.length > 1 && args[1].equals("apart");
        for (int i = 0; i < LINES; i++) { // one cycle through all lines, in an order that no prefetcher guesses
            CHASE[i * 16] = (i * 1664525 + 1013904223) & LINES - 1;
        }
        daemon("asleep", Split::sleep);
        daemon("litter", Split::litter);
        long[][] spent = new long[apart ? PARTS.length : THREADS][PARTS.length];
        Thread[] workers = new Thread[spent.length];
        CountDownLatch pinned = new CountDownLatch(1);
        for (int i = 0; i < workers.length; i++) {
            int id = i;
            long own = apart ? length * THREADS * PARTS[i] / 10 : length;
            workers[i] = new Thread(() -> {
                try {
                    pinned.await();
                } catch (InterruptedException e) {
                    return;
                }
                work(apart ? id : -1, own, spent[id]);
            }, "worker-" + i);
            workers[i].start();
        }
        pin();
        pinned.countDown();
        for (Thread t : workers) {
            t.join();
        }
        String[] names = {"most", "some", "little"};
        for (int k = 0; k < names.length; k++) {
            long sum = 0;
            for (long[] own : spent) {
                sum += own[k];
            }
            System.out.println(names[k] + " " + sum);
        }
    }
}
