// Threads with names that are longer than the kernel's, while objects die.
public class Named {
	static volatile long sum;
	static final Object[] kept = new Object[2000];

	static void work() {
		long end = System.nanoTime() + 400_000_000, s = 0;
		for (int i = 0; System.nanoTime() < end; i++) {
			byte[] b = new byte[1024 + (i & 1023)];
			kept[i % kept.length] = b;
			for (int k = 0; k < 3000; k++)
				s = s * 31 + k + b.length;
		}
		sum += s;
	}

	public static void main(String[] args) throws Exception {
		Thread one = new Thread(Named::work, "a-thread-with-a-long-name-1");
		Thread two = new Thread(Named::work, "Stra\u00dfe-\u4e2d-longer-than-the-kernel's");
		one.start();
		two.start();
		work();
		one.join();
		two.join();
	}
}
