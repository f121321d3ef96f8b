// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** A program whose calls are known. It is its own second agent, so that it can change classes. */
public class Counted {
    private static Instrumentation jvm;

    static class Base {
        Base(int x) {
            if (x % 3 == 0) {
                throw new IllegalStateException("three");
            }
        }
    }

    static class Made extends Base {
        private final String text;

        Made(int x) {
            super(x + Integer.parseInt(new String("0")));
            text = new String("a" + (x > 2 ? new StringBuilder("b") : "c"));
        }
    }

    interface Twice {
        default int twice(int x) {
            return 2 * x;
        }
    }

    /** The compiler makes a second compareTo for itself, and the class has code of its own. */
    static class Sorted implements Twice, Comparable<Sorted> {
        static {
            touch();
        }

        @Override
        public int compareTo(Sorted o) {
            return 0;
        }
    }

    static long fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    static void deep(int n) {
        if (n == 0) {
            throw new IllegalArgumentException("deep");
        }
        deep(n - 1);
    }

    static int caughtInside(int x) {
        try {
            deep(0);
            return x;
        } catch (IllegalArgumentException e) {
            return x + 1;
        } finally {
            touch();
        }
    }

    static int overflow(int n) {
        return 1 + overflow(n + 1);
    }

    static double uneven(double x, long d, int n) {
        double sum = x;
        for (int i = 0; i < n; i++) {
            sum += Math.sqrt(sum + d);
        }
        return sum;
    }

    static void touch() {}

    static void virtual() throws Exception {
        touch();
        Thread.sleep(1);
        touch();
    }

    static long never() {
        return 1;
    }

    static void excluded() {}

    public static void premain(String ignored, Instrumentation given) {
        jvm = given;
    }

    /** Another loader's class of the same name, which is unloaded when it is left. */
    private static void inOtherLoader(URL[] classes, int calls) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(classes, null)) {
            Class<?> other = loader.loadClass("Counted$Loaded");
            for (int i = 0; i < calls; i++) {
                other.getMethod("hello").invoke(null);
            }
        }
    }

    public static class Loaded {
        public static void hello() {}
    }

    private static void threads() throws Exception {
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(new Thread(() -> {
                for (int k = 0; k < 10_000; k++) {
                    touch();
                }
            }));
        }
        try {
            java.lang.reflect.Method start =
                Thread.class.getMethod("startVirtualThread", Runnable.class);
            for (int i = 0; i < 300; i++) {
                all.add((Thread) start.invoke(null, (Runnable) () -> {
                    try {
                        virtual();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }));
            }
        } catch (NoSuchMethodException e) {
            System.out.println("this JDK has no virtual threads");
        }
        for (Thread t : all) {
            if (t.getState() == Thread.State.NEW) {
                t.start();
            }
        }
        for (Thread t : all) {
            t.join();
        }
    }

    private static double known() throws Exception {
        for (int i = 0; i < 3000; i++) {
            try {
                new Made(i);
            } catch (IllegalStateException e) {
                // each third is not made
            }
        }
        for (int i = 0; i < 1000; i++) {
            try {
                deep(20);
            } catch (IllegalArgumentException e) {
                caughtInside(i);
            }
        }
        Runnable lambda = () -> touch();
        for (int i = 0; i < 500; i++) {
            lambda.run();
            excluded();
        }
        Sorted sorted = new Sorted();
        Comparable<Sorted> raw = sorted;
        double sum = fib(20);
        for (int i = 0; i < 100; i++) {
            sum += sorted.twice(i) + raw.compareTo(sorted);
        }
        for (int i = 0; i < 600; i++) {
            sum += uneven(i, 3L, i % 4 == 3 ? 200_000 : 20_000);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        double sum = known();
        URL[] classes = {Counted.class.getProtectionDomain().getCodeSource().getLocation()};
        for (int i = 0; i < 3; i++) {
            inOtherLoader(classes, 100);
            System.gc();
        }
        jvm.retransformClasses(Counted.class, Made.class);
        sum += fib(20);
        threads();
        try {
            overflow(0);
        } catch (StackOverflowError e) {
            sum += fib(1);
        }
        System.out.println(sum);
    }
}
