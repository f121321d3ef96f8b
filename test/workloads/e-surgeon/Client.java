import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests a page as JMeter's thread groups do, each thread after the other's answer and a pause: Client PORT MILLISECONDS
 * THREADS... has so many threads for so long, one number after the other, and prints the requests. With 0 threads it waits.
 */
public final class Client {
    private static final int PAUSE_MS = 5;

    private Client() {}

    public static void main(String[] args) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI page = URI.create("http://127.0.0.1:" + args[0] + "/?");
        long step = Long.parseLong(args[1]) * 1_000_000;
        AtomicLong answers = new AtomicLong();
        for (int i = 2; i < args.length; i++) {
            Thread[] threads = new Thread[Integer.parseInt(args[i])];
            long end = System.nanoTime() + step;
            for (int k = 0; k < threads.length; k++) {
                threads[k] = new Thread(() -> {
                    try {
                        for (int n = 0; System.nanoTime() < end; n++) {
                            HttpRequest q = HttpRequest.newBuilder(URI.create(page.toString() + n)).build();
                            if (client.send(q, HttpResponse.BodyHandlers.ofByteArray()).statusCode() == 200) {
                                answers.incrementAndGet();
                            }
                            Thread.sleep(PAUSE_MS);
                        }
                    } catch (Exception e) {
                        System.err.println(e);
                    }
                });
                threads[k].start();
            }
            for (Thread t : threads) {
                t.join();
            }
            Thread.sleep(Math.max(0, end - System.nanoTime()) / 1_000_000);
        }
        System.out.println(answers.get());
        System.exit(0);
    }
}
