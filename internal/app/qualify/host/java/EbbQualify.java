// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.util.concurrent.CyclicBarrier;

/**
 * The program of ebb qualify for a JVM: threads that compute, make garbage, contend for a lock and wait for each other.
 *
 * <pre>java EbbQualify TURNS THREADS</pre>
 *
 * EbbQualify.class beside it is part of ebb: javac --release 8 -g:none EbbQualify.java makes it.
 */
public final class EbbQualify implements Runnable {
    private static final int ALONE = 20_000;
    private static final int SHARED = 5_000;
    private static final int GARBAGE = 16 << 10;
    private static final int BETWEEN_MEETINGS = 16;

    private static final Object lock = new Object();
    private static long shared; // guarded by lock
    static volatile byte[] garbage;

    private final long turns;
    private final CyclicBarrier meeting;

    private EbbQualify(long turns, CyclicBarrier meeting) {
        this.turns = turns;
        this.meeting = meeting;
    }

    private static long mix(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    @Override
    public void run() {
        long x = 1;
        for (long i = 0; i < turns; i++) {
            x = mix(x, ALONE);
            garbage = new byte[GARBAGE];
            synchronized (lock) {
                shared += mix(x | 1, SHARED);
            }
            if (i % BETWEEN_MEETINGS == BETWEEN_MEETINGS - 1) {
                meet();
            }
        }
    }

    private void meet() {
        try {
            meeting.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        long turns = Long.parseLong(args[0]);
        Thread[] all = new Thread[Integer.parseInt(args[1])];
        CyclicBarrier meeting = new CyclicBarrier(all.length);
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(new EbbQualify(turns, meeting), "worker-" + i);
            all[i].start();
        }
        for (Thread t : all) {
            t.join();
        }
        if (shared == 42) {
            System.out.println(); // keeps the compiler from removing the work
        }
    }
}
