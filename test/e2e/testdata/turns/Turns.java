// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.lang.management.ManagementFactory;

/**
 * Turns SECONDS: two methods take turns in one thread for so much of its CPU time, some 20 ms each; chase follows pointers through
 * memory, compute does not. It prints the CPU time of both in ns.
 */
final class Turns {
    static int[] next;
    static volatile long sum;

    private Turns() {}

    static int chase(int from, int steps) {
        int at = from;
        for (int i = 0; i < steps; i++) at = next[at];
        return at;
    }

    static long compute(long from, int steps) {
        long x = from;
        for (int i = 0; i < steps; i++) x = (x ^ x >>> 7) * 31 + i;
        return x;
    }

    /** The CPU time of this thread, in ns. */
    static long now() { return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }

    public static void main(String[] args) {
        long total = (long) (Double.parseDouble(args[0]) * 1e9);
        next = new int[1 << 22];
        int odd = 1 + 4 * 314_159;
        for (int i = 0; i < next.length; i++) next[i] = i * odd + 12_345 & next.length - 1;
        int at = 0, stepsOfChase = 100_000, stepsOfCompute = 100_000;
        long x = 1, begin = now(), chased = 0, computed = 0;
        while (true) {
            long a = now();
            at = chase(at, stepsOfChase);
            long b = now();
            x = compute(x, stepsOfCompute);
            long c = now();
            if (b - a < 20_000_000 && stepsOfChase < 1 << 28) stepsOfChase += stepsOfChase / 8;
            if (c - b < 20_000_000 && stepsOfCompute < 1 << 28) stepsOfCompute += stepsOfCompute / 8;
            chased += b - a;
            computed += c - b;
            if (c - begin > total) break;
        }
        sum = at + x;
        System.out.println(chased + " " + computed);
    }
}
