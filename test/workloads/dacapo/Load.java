// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Shared by the drivers: threads that repeat an operation until the time is up, and a line at the end. */
final class Load {
    /** One thread's operation. i counts from 0. The result keeps the work from being optimised away. */
    interface Operation {
        long run(int i) throws Exception;
    }

    /** Makes one thread's operation, with what that thread needs for itself. */
    interface Maker {
        Operation make(int thread) throws Exception;
    }

    private Load() {}

    /** The kernel's figures of the calling thread. */
    private static String threadLine() throws IOException {
        Path self = Files.readSymbolicLink(Path.of("/proc/thread-self")); // PID/task/TID
        return "thread role=worker tid=" + self.getFileName()
            + " run_ns=" + ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Where the operations done are counted for others to see: 8 bytes of the file that -Debb.progress names. */
    private static ByteBuffer progress() throws IOException {
        String file = System.getProperty("ebb.progress");
        if (file == null) {
            return ByteBuffer.allocateDirect(8);
        }
        try (FileChannel c = FileChannel.open(
            Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return c.map(FileChannel.MapMode.READ_WRITE, 0, 8);
        }
    }

    /**
     * Runs args[0] threads (default 4) for args[1] seconds (default 10), an operation each at least, and prints the
     * operations done, and for each thread the run time the kernel counted. With -Debb.operations=N they do N operations
     * together, each its equal part, however long that takes: the same work in every run. An operation that fails ends the
     * program with status 1.
     */
    static void run(String[] args, Maker maker) throws Exception {
        int threads = args.length > 0 ? Integer.parseInt(args[0]) : 4;
        double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 10;
        long operationsInAll = Long.getLong("ebb.operations", 0);
        ByteBuffer ops = progress();
        AtomicLong sink = new AtomicLong();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread[] workers = new Thread[threads];
        Operation[] operations = new Operation[threads];
        for (int t = 0; t < threads; t++) {
            operations[t] = maker.make(t);
        }
        threadLine(); // loads the classes it needs, so that the workers' lines cost them nothing
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (int t = 0; t < threads; t++) {
            Operation operation = operations[t];
            long part = operationsInAll / threads + (t < operationsInAll % threads ? 1 : 0);
            workers[t] = new Thread(() -> {
                try {
                    for (int i = 0; failed.get() == null; i++) {
                        if (operationsInAll > 0 ? i >= part : i > 0 && System.nanoTime() >= end) {
                            break;
                        }
                        sink.addAndGet(operation.run(i));
                        LONG.getAndAdd(ops, 0, 1L);
                    }
                    System.out.println(threadLine());
                } catch (Throwable e) {
                    failed.compareAndSet(null, e);
                }
            }, "worker-" + t);
            workers[t].start();
        }
        for (Thread w : workers) {
            w.join();
        }
        if (failed.get() != null) {
            failed.get().printStackTrace();
            System.exit(1);
        }
        System.out.println("ops=" + (long) LONG.getVolatile(ops, 0) + " sink=" + sink);
        System.exit(0); // some libraries leave threads behind
    }
}
