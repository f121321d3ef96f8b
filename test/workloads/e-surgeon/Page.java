import java.util.Arrays;

/** The work of one request: it sorts some numbers and writes them. */
final class Page {
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
        return b.append("</body></html>").toString();
    }
}
