// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads the energy and adds it up by method. Where powercap has no meter, another number of sysfs stands in: reading it costs
 * the system call and the text, and not the processor's register.
 */
public final class Meter {
    private static final String[] FILES = {
        "/sys/class/powercap/intel-rapl:0/energy_uj", "/sys/kernel/uevent_seqnum"};
    private static final AtomicInteger METHODS = new AtomicInteger();
    private static final AtomicLongArray CALLS = new AtomicLongArray(1 << 16);
    private static final AtomicLongArray USED = new AtomicLongArray(1 << 16);
    private static final LongAdder READINGS = new LongAdder();
    private static double share;
    private static String file;
    private static FileChannel meter;
    private static final ThreadLocal<ByteBuffer> TEXT = ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(32));

    private Meter() {}

    static void begin(double shareOfCalls) {
        share = shareOfCalls;
        for (String f : FILES) {
            if (Files.isReadable(Path.of(f))) {
                file = f;
                break;
            }
        }
        try {
            meter = FileChannel.open(Path.of(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read(); // loads what it needs
    }

    /** A method's number. Those beyond the arrays share the last places. */
    static int add() {
        return METHODS.getAndIncrement() & CALLS.length() - 1;
    }

    /** The reading at the beginning of a call; -1 when this call is not one of the share. */
    public static long enter(int method) {
        CALLS.incrementAndGet(method);
        if (share < 1 && ThreadLocalRandom.current().nextDouble() >= share) {
            return -1;
        }
        READINGS.increment();
        return read();
    }

    public static void leave(int method, long began) {
        if (began >= 0) {
            USED.addAndGet(method, read() - began);
        }
    }

    private static long read() {
        ByteBuffer b = TEXT.get();
        b.clear();
        try {
            meter.read(b, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        long v = 0;
        for (int i = 0; i < b.position() && b.get(i) >= '0' && b.get(i) <= '9'; i++) {
            v = 10 * v + b.get(i) - '0';
        }
        return v;
    }

    static int methods() {
        return METHODS.get();
    }

    static long calls() {
        long sum = 0;
        for (int i = 0; i < CALLS.length(); i++) {
            sum += CALLS.get(i);
        }
        return sum;
    }

    static long readings() {
        return READINGS.sum();
    }

    static String file() {
        return file;
    }
}
