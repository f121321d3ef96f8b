/** Two virtual threads whose work is 2 to 1, in turns, for so many seconds. */
public class Virtual {
    static volatile double sum;

    static void work(int n) {
        double s = 0;
        for (int i = 0; i < n; i++) {
            s += Math.sqrt(i);
        }
        sum = s;
    }

    static Thread named(String name, int n, long end) {
        return Thread.ofVirtual().name(name).start(() -> {
            while (System.nanoTime() < end) {
                work(n);
                Thread.yield();
            }
        });
    }

    public static void main(String[] args) throws Exception {
        long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        Thread two = named("two thirds of it", 2_000_000, end);
        Thread one = named("one third", 1_000_000, end);
        two.join();
        one.join();
    }
}
