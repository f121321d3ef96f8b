// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that contend for a monitor and for a ReentrantLock.
 *
 * <pre>java Contend [threads] [seconds] [alloc]</pre>
 *
 * Each operation computes outside the locks, then a while inside each of them. With "alloc" it also drops a megabyte of
 * garbage, so that the collector's threads take part. Prints the operations done, a sum that keeps the compiler from
 * removing the work, and for each worker the run time the kernel counted.
 */
public final class Contend {
    private static final int OUTSIDE = 30_000;
    private static final int INSIDE = 20_000;

    private static final Object monitor = new Object();
    private static final ReentrantLock lock = new ReentrantLock();
    private static long byMonitor; // guarded by monitor
    private static long byLock; // guarded by lock
    static volatile byte[] garbage;

    /** Integer work: n steps of xorshift. */
    private static long mix(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    /** Floating-point work: n terms of a slowly converging series. */
    private static double series(int n) {
        double sum = 0;
        for (int i = 1; i <= n; i++) {
            sum += 1 / ((double) i * i);
        }
        return sum;
    }

    private static void underMonitor(long seed) {
        synchronized (monitor) {
            byMonitor += mix(seed | 1, INSIDE) & 0xff;
        }
    }

    private static void underLock() {
        lock.lock();
        try {
            byLock += (long) series(INSIDE);
        } finally {
            lock.unlock();
        }
    }

    /** The kernel's figures of the calling thread. */
    private static String threadLine() {
        try {
            Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")); // PID/task/TID
            return "thread role=worker tid=" + self.getFileName()
                + " run_ns=" + ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 10;
        boolean alloc = args.length > 2 && args[2].equals("alloc");
        threadLine(); // loads the classes it needs, so that the workers' lines cost them nothing
        long end = System.nanoTime() + (long) (seconds * 1e9);

        Thread[] workers = new Thread[threads];
        long[] ops = new long[threads];
        long[] sums = new long[threads];
        for (int t = 0; t < threads; t++) {
            int id = t;
            workers[t] = new Thread(() -> {
                long done = 0;
                long sum = id;
                while (System.nanoTime() < end) {
                    sum += mix(done + 1, OUTSIDE) & 0xff;
                    sum += (long) series(OUTSIDE);
                    underMonitor(done);
                    underLock();
                    if (alloc) {
                        garbage = new byte[1 << 20];
                    }
                    done++;
                }
                ops[id] = done;
                sums[id] = sum;
                System.out.println(threadLine());
            }, "worker-" + t);
            workers[t].start();
        }
        long done = 0;
        long sink = 0;
        for (int t = 0; t < threads; t++) {
            workers[t].join();
            done += ops[t];
            sink += sums[t];
        }
        System.out.println("ops=" + done + " sink=" + (sink + byMonitor + byLock));
    }
}
