// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb.rewriter;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Has a method call both hooks. The number that the first returns is in a new variable behind all
 * others, which every frame of the method then has.
 */
final class Around extends MethodVisitor {
    private static final String HOOKS = "ebb/Hooks";

    private final Body body;
    private final long function;
    private final boolean frames; // classes before Java 6 have none
    private final Label begun = new Label();
    private final Label made = new Label(); // behind the call by which a constructor begins its object
    private final Set<Label> handlers = new HashSet<>();
    private boolean caught; // the place is the beginning of a handler
    private int calls; // of constructors

    Around(MethodVisitor to, Body body, long function, int version) {
        super(Opcodes.ASM9, to);
        this.body = body;
        this.function = function;
        frames = version >= Opcodes.V1_6;
    }

    @Override
    public void visitTryCatchBlock(Label from, Label to, Label at, String type) {
        handlers.add(at);
        super.visitTryCatchBlock(from, to, at, type);
    }

    @Override
    public void visitLabel(Label at) {
        super.visitLabel(at);
        if (handlers.contains(at)) {
            if (frames) {
                caught = true; // the frame comes first
            } else {
                caught();
            }
        }
    }

    private void caught() {
        caught = false;
        super.visitVarInsn(Opcodes.ILOAD, body.locals());
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "caught", "(I)V", false);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        super.visitLdcInsn(function);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "enter", "(J)I", false);
        super.visitVarInsn(Opcodes.ISTORE, body.locals());
        super.visitLabel(begun);
    }

    private void leave() {
        super.visitLdcInsn(function);
        super.visitVarInsn(Opcodes.ILOAD, body.locals());
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "exit", "(JI)V", false);
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            leave();
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(
            int opcode, String owner, String name, String type, boolean isInterface) {
        super.visitMethodInsn(opcode, owner, name, type, isInterface);
        if (body.constructor && opcode == Opcodes.INVOKESPECIAL && name.equals("<init>")
                && calls++ == body.own()) {
            super.visitLabel(made);
        }
    }

    @Override
    public void visitFrame(int kind, int locals, Object[] local, int stack, Object[] top) {
        int slots = 0;
        for (int i = 0; i < locals; i++) {
            slots += local[i] == Opcodes.LONG || local[i] == Opcodes.DOUBLE ? 2 : 1;
        }
        int free = body.locals() - slots;
        Object[] all = new Object[locals + free + 1];
        System.arraycopy(local, 0, all, 0, locals);
        for (int i = 0; i < free; i++) {
            all[locals + i] = Opcodes.TOP;
        }
        all[locals + free] = Opcodes.INTEGER;
        super.visitFrame(kind, all.length, all, stack, top);
        if (caught) {
            caught();
        }
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        // Where a constructor ends before its object has begun, its caller's exit ends it as well:
        // the verifier lets no handler be there.
        if (!body.constructor || body.own() >= 0) {
            handler(body.constructor ? made : begun);
        }
        super.visitMaxs(stack, locals);
    }

    /**
     * Ends the call where an exception leaves the method, from a place on. A handler of the method's
     * own comes first where both are there.
     */
    private void handler(Label from) {
        Label at = new Label();
        super.visitLabel(at);
        super.visitTryCatchBlock(from, at, at, null); // not among handlers
        if (frames) {
            Object[] local = new Object[body.locals() + 1];
            Arrays.fill(local, Opcodes.TOP);
            local[body.locals()] = Opcodes.INTEGER;
            super.visitFrame(Opcodes.F_NEW, local.length, local, 1,
                new Object[] {"java/lang/Throwable"});
        }
        leave();
        super.visitInsn(Opcodes.ATHROW);
    }
}
