// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * The functions by name, which ebb reads in a jitdump. A class that is loaded or changed again has
 * the same functions, and so has one of the same name: samples cannot distinguish them either.
 */
public final class Names {
    /** Where no code can lie: layout.Managed. */
    private static final long MANAGED = 1L << 47;
    private static final int SPACING = 16;
    private static final int PID_AT = 20;
    private static final int RECORD = 16 + 40;

    private final Map<String, Long> known = new HashMap<>();
    private final byte[] pid = new byte[4]; // the process's own, as the library wrote it
    private RandomAccessFile out; // null where nothing can be written

    Names(int descriptor) {
        try {
            out = descriptor < 0 ? null : new RandomAccessFile("/proc/self/fd/" + descriptor, "rw");
            if (out != null) {
                out.seek(PID_AT);
                out.readFully(pid);
                out.seek(out.length());
            }
        } catch (IOException e) {
            out = null;
        }
        if (out == null) {
            Agent.say("counted methods have no names: the file for them cannot be made");
        }
    }

    /** The function of a name. */
    public synchronized long function(String name) {
        Long before = known.get(name);
        if (before != null) {
            return before;
        }
        long function = MANAGED + SPACING * (long) known.size();
        known.put(name, function);
        write(function, name);
        return function;
    }

    /** Writes a record that says which code is loaded. */
    private void write(long function, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        int size = RECORD + text.length + 1 + SPACING;
        ByteBuffer b = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
        b.putInt(0).putInt(size).putLong(System.nanoTime());
        b.put(pid).putInt(0).putLong(function).putLong(function).putLong(SPACING);
        b.putLong(known.size()).put(text);
        try {
            if (out != null) {
                out.write(b.array());
            }
        } catch (IOException e) {
            out = null;
            Agent.say("some counted methods have no names: " + e.getMessage());
        }
    }
}
