/** Moves towers of discs, as e-Surgeon's overhead test does: Hanoi DISCS TIMES. */
public final class Hanoi {
    private static long moves;

    private Hanoi() {}

    static void move(int discs, int from, int to, int over) {
        if (discs == 0) {
            return;
        }
        move(discs - 1, from, over, to);
        moves++;
        move(discs - 1, over, to, from);
    }

    public static void main(String[] args) {
        int discs = Integer.parseInt(args[0]);
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            move(discs, 0, 2, 1);
        }
        System.out.println(moves);
    }
}
