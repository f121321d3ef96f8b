// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** What instrumented methods call. It counts in the memory that ebb shares with C programs too. */
public final class Hooks {
    private static final int DUE = -2; // java.c has it too

    /** Thread.isVirtual, where the JDK has it. */
    private static final MethodHandle IS_VIRTUAL = isVirtual();

    private Hooks() {}

    /** Counts a call, and returns what exit needs. */
    public static int enter(long function) {
        int at = count(function);
        return at >= 0 ? at : begin(function, at == DUE, onVirtualThread());
    }

    public static native void exit(long function, int at);

    /** Says that a call's method has caught an exception. */
    public static native void caught(int at);

    private static native int count(long function);

    private static native int begin(long function, boolean counted, boolean virtual);

    static native int names();

    private static boolean onVirtualThread() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            return true; // such a call is counted all the same
        }
    }

    private static MethodHandle isVirtual() {
        try {
            return MethodHandles.publicLookup()
                .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
