// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb.rewriter;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What has to be known of a method before it can be changed. */
final class Body extends MethodVisitor {
    final boolean constructor;
    private final boolean written; // by somebody, and not by a compiler for itself
    private int locals = -1; // in slots; -1 where there is no code
    private boolean subroutines;
    private int calls; // of constructors
    private int pending; // objects that were made, and whose constructors are not called yet
    private int own = -1; // the call of calls that begins the object itself
    private int owns;

    Body(int access, String name) {
        super(Opcodes.ASM9);
        constructor = name.equals("<init>");
        written = (access & Opcodes.ACC_SYNTHETIC) == 0 || name.startsWith("lambda$");
    }

    boolean isCode() {
        return written && locals >= 0;
    }

    boolean hasSubroutines() {
        return subroutines;
    }

    int locals() {
        return locals;
    }

    /**
     * The call of a constructor, by its number, by which a constructor begins its own object; -1
     * where it has several, as Groovy's can.
     */
    int own() {
        return owns == 1 ? own : -1;
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        if (opcode == Opcodes.NEW) {
            pending++;
        }
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String type, boolean isInterface) {
        if (opcode != Opcodes.INVOKESPECIAL || !name.equals("<init>")) {
            return;
        }
        if (pending == 0) {
            own = calls;
            owns++;
        } else {
            pending--;
        }
        calls++;
    }

    @Override
    public void visitJumpInsn(int opcode, Label to) {
        subroutines = subroutines || opcode == Opcodes.JSR;
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        this.locals = locals;
    }
}
