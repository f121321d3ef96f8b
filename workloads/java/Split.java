/* Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0 */

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Two threads that spend their CPU time in three methods as 6 : 3 : 1, one that sleeps, and one that keeps the garbage
 * collector busy. Prints the CPU time of each method, in ns, as the threads measured it.
 */
public final class Split {
    private static final int THREADS = 2;
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
        long x = n;
        for (int i = 0; i < n; i++) {
            x = x * 2862933555777941757L + 3037000493L;
        }
        return x;
    }

    static long little(int n) {
        long x = n;
        for (int i = 0; i < n; i++) {
            x = x * 3935559000370003845L + 2691343689449507681L;
        }
        return x;
    }

    static void work(long until, long[] spent) {
        int random = (int) System.nanoTime(); // else the threads would do the same at the same moments of their CPU time
        for (long before = BEAN.getCurrentThreadCpuTime(); before < until; ) {
            int next = 0; // whoever is furthest behind his part
            for (int i = 1; i < PARTS.length; i++) {
                if (spent[i] * PARTS[next] < spent[next] * PARTS[i]) {
                    next = i;
                }
            }
            // Not all of a length: who looks every so often would see the same moment of each round.
            random = random * 1664525 + 1013904223;
            int n = 100_000 + (random >>> 16) * 3;
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

    public static void main(String[] args) throws InterruptedException {
        long until = (long) ((args.length > 0 ? Double.parseDouble(args[0]) : 5) * 1e9);
        daemon("asleep", Split::sleep);
        daemon("litter", Split::litter);
        long[][] spent = new long[THREADS][3];
        Thread[] workers = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            long[] own = spent[i];
            workers[i] = new Thread(() -> work(until, own), "worker-" + i);
            workers[i].start();
        }
        for (Thread t : workers) {
            t.join();
        }
        String[] names = {"most", "some", "little"};
        for (int k = 0; k < names.length; k++) {
            System.out.println(names[k] + " " + (spent[0][k] + spent[1][k]));
        }
    }
}
