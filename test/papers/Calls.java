// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

/** A program whose calls are known: main, args[0] times even or odd, and half as often thrown. */
public final class Calls {
    private Calls() {}

    private static long even(long x) {
        return x / 2;
    }

    private static long odd(long x) {
        if (x < 0) {
            throw new IllegalStateException();
        }
        return 3 * x + 1;
    }

    private static int thrown(int i) {
        try {
            throw new IllegalArgumentException();
        } catch (IllegalArgumentException e) {
            return i;
        }
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < Integer.parseInt(args[0]); i++) {
            if (i % 2 == 0) {
                sum += even(i) + thrown(i);
            } else {
                sum += odd(i);
            }
        }
        System.out.println(sum);
    }
}
