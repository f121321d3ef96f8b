/** Inlined TIMES: methods that HotSpot inlines into run, which a thread calls so many times. */
public final class Inlined {
    interface Op {
        long go(long x);
    }

    static volatile long sink;

    private Inlined() {}

    static long mix(long x) {
        x ^= x << 13;
        x ^= x >>> 7;
        return x ^ x << 17;
    }

    static long heavy(long x) {
        for (int i = 0; i < 30; i++) {
            x = mix(x) * 6364136223846793005L + 1;
        }
        return x;
    }

    static long light(long x) {
        for (int i = 0; i < 10; i++) {
            x = x * 3935559000370003845L + 2691343689449507681L;
        }
        return x;
    }

    static final class Heavy implements Op {
        public long go(long x) {
            return heavy(x);
        }
    }

    static final class Light implements Op {
        public long go(long x) {
            return light(x);
        }
    }

    static long run(Op heavy, Op light, int n) {
        long x = n;
        for (int i = 0; i < n; i++) {
            x = light.go(heavy.go(x));
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        Thread thread = new Thread(() -> {
            Op heavy = new Heavy();
            Op light = new Light();
            for (int i = Integer.parseInt(args[0]); i > 0; i--) {
                sink += run(heavy, light, 100_000);
            }
        }, "a-thread-with-a-long-name");
        thread.start();
        thread.join();
    }
}
