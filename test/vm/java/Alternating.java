// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Alternating VISIT TIMES LONGEST THREADS: in each thread two methods take turns so many times, each for so many iterations, or with
 * LONGEST for between so many and LONGEST times that, as likely at any order of magnitude, and the same in every run. All threads take
 * one lock for the method that waits: the virtual platform goes by the thread's name (load/load.c). It prints what load prints.
 */
final class Alternating {
    private static final Object LOCK = new Object();
    private static long result;

    private Alternating() {}

    static long memory(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }

    static long compute(long x, int n) {
        for (int i = 0; i < n; i++) {
            x ^= x >>> 17;
            x ^= x << 7;
            x ^= x >>> 13;
        }
        return x;
    }

    private static void work(int visit, int times, int longest, long seed) {
        long x = 88172645463325252L, state = seed;
        for (int i = 0; i < 2 * times; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            int n = longest < 2 ? visit : (int) (visit * Math.pow(longest, (state >>> 11) * 0x1p-53));
            if (i % 2 == 0) {
                synchronized (LOCK) {
                    Thread.currentThread().setName("memory@900");
                    x = memory(x, n);
                    Thread.currentThread().setName("compute@0");
                    result += x;
                }
            } else {
                x = compute(x, n);
            }
        }
    }

    private static long meter(String zone, String file) {
        try {
            return Long.parseLong(Files.readString(Path.of("/sys/class/powercap", zone, file)).trim());
        } catch (java.io.IOException e) {
            return 0;
        }
    }

    private static long used(String zone, long before) {
        long now = meter(zone, "energy_uj");
        return now >= before ? now - before : now - before + meter(zone, "max_energy_range_uj");
    }

    public static void main(String[] args) throws InterruptedException {
        int visit = Integer.parseInt(args[0]), times = Integer.parseInt(args[1]);
        int longest = Integer.parseInt(args[2]), count = Integer.parseInt(args[3]);
        work(20_000, 100, 0, 1); // until both are compiled
        long chip = meter("intel-rapl:0", "energy_uj"), dram = meter("intel-rapl:0:0", "energy_uj");
        long start = System.nanoTime();
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            long seed = i + 1;
            threads[i] = new Thread(() -> work(visit, times, longest, seed));
            threads[i].start();
        }
        for (Thread t : threads) t.join();
        long took = System.nanoTime() - start;
        System.out.println("ns " + took + " package_uj " + used("intel-rapl:0", chip) + " dram_uj " + used("intel-rapl:0:0", dram));
    }
}
