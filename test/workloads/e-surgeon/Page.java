import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;

/**
 * The work of one request: it sorts some numbers and writes them. With -Dvisitors=leaking it also notes each visitor that
 * it has not seen, in a list that it looks through; with -Dvisitors=mended in a set.
 */
final class Page {
    private static final String WAY = System.getProperty("visitors", "");
    private static final Collection<String> SEEN = WAY.equals("leaking") ? new ArrayList<>() : new LinkedHashSet<>();

    private Page() {}

    static String text(String query) {
        int n = 2000;
        long[] numbers = new long[n];
        long x = query == null ? 1 : query.hashCode() | 1;
        for (int i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
            numbers[i] = x >>> 33;
        }
        Arrays.sort(numbers);
        StringBuilder b = new StringBuilder("<html><body>");
        for (int i = 0; i < n; i += 20) {
            b.append("<p>").append(numbers[i]).append("</p>");
        }
        if (!WAY.isEmpty()) {
            note(numbers);
        }
        return b.append("</body></html>").toString();
    }

    /** Notes the visitors of a request: each number stands for one. */
    private static void note(long[] numbers) {
        synchronized (SEEN) {
            for (int i = 0; i < numbers.length; i += 20) {
                String visitor = Long.toString(numbers[i]);
                if (!SEEN.contains(visitor)) {
                    SEEN.add(visitor);
                }
            }
        }
    }
}
