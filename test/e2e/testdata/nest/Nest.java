// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

/**
 * Calls its methods in one known order: main, loop, m0 to m7, leaf; m4 calls m5 through an interface, m6 makes objects, m7
 * copies arrays. They are not to be inlined. What they keep in registers beside the calls leaves no room for a frame pointer.
 */
final class Nest {
    interface Step { long next(long a, long b, long c, long d, long e, long f, long g); }

    static final class One implements Step {
        public long next(long a, long b, long c, long d, long e, long f, long g) { return m5(a, b, c, d, e, f, g) + a; }
    }

    static final class Two implements Step {
        public long next(long a, long b, long c, long d, long e, long f, long g) { return m5(g, f, e, d, c, b, a) ^ a; }
    }

    static final class Three implements Step {
        public long next(long a, long b, long c, long d, long e, long f, long g) { return m5(g, b, e, d, c, f, a) * 3; }
    }

    static final Step[] STEPS = {new One(), new Two(), new Three()};
    static final long[] FROM = new long[40];
    static Object made;
    static volatile long sum;

    private Nest() {}

    static long leaf(long a, long b) { return a * 31 ^ b >>> 7; }

    static long m7(long a, long b, long c, long d, long e, long f, long g) {
        long[] to = new long[40];
        System.arraycopy(FROM, 0, to, (int) (a & 7), 32);
        return leaf(a, b) + leaf(c, d) + leaf(e, f) + leaf(g, to[(int) (a & 31)]) + a + b + c + d + e + f + g;
    }

    static long m6(long a, long b, long c, long d, long e, long f, long g) {
        made = new long[] {a, b};
        return m7(a + 1, b, c, d, e, f, g) + a * b + c * d + e * f + g;
    }

    static long m5(long a, long b, long c, long d, long e, long f, long g) {
        return m6(a, b + 1, c, d, e, f, g) + (a ^ b) + (c ^ d) + (e ^ f) + g + m6(b, a, c, d, e, f, g);
    }

    static long m4(long a, long b, long c, long d, long e, long f, long g) {
        return STEPS[(int) ((a & 0xff) % 3)].next(a, b, c, d, e, f, g) + a + b + c + d + e + f + g;
    }

    static long m3(long a, long b, long c, long d, long e, long f, long g) {
        long r = 0;
        for (int i = 0; i < 3; i++) {
            r += m4(a + i, b, c, d, e, f, g) + (a | b) + (c | d) + (e | f) + g;
        }
        return r;
    }

    static long m2(long a, long b) { return m3(a, b, a + b, a - b, a ^ b, a | b, a & b) + a; }

    static long m1(long a, long b) { return m2(a, b) + m2(b, a); }

    static long m0(long a) { return m1(a, a * 7); }

    static void loop(int n) {
        for (int i = 0; i < n; i++) {
            sum += m0(i);
        }
    }

    public static void main(String[] args) {
        for (long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000; System.nanoTime() < end; ) {
            loop(10_000);
        }
    }
}
