// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;

/** Prints the least CPU time of a call in ns, of some rounds, when its code is compiled. */
public final class Calls {
    private static final int CALLS = 2_000_000;

    private Calls() {}

    /** A step of random numbers, of which no compiler can skip one. */
    private static long called(long x) {
        long y = x ^ x << 13;
        y ^= y >>> 7;
        return y ^ y << 17;
    }

    private static long round(long x) {
        long y = x;
        for (int i = 0; i < CALLS; i++) {
            y = called(y);
        }
        return y;
    }

    public static void main(String[] args) {
        double least = Double.MAX_VALUE;
        long x = 1;
        for (int i = 0; i < 12; i++) {
            long began = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            x = round(x);
            long took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - began;
            least = i < 2 ? least : Math.min(least, (double) took / CALLS);
        }
        System.out.println(least + " " + (x & 1));
    }
}
