// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb.rewriter;

import ebb.Names;
import ebb.Patterns;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.ArrayDeque;
import java.util.Queue;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Instruments the methods that are wanted of each class that is loaded. */
public final class Rewriter implements ClassFileTransformer {
    private static final int NEWEST = Opcodes.V20; // of which ASM knows that it can read it
    private static final int MAJOR = 7; // the place of a class's version, in its low byte

    private final Patterns patterns;
    private final Names names;
    private int refused;
    private String first;

    public Rewriter(Patterns patterns, Names names) {
        this.patterns = patterns;
        this.names = names;
        Runtime.getRuntime().addShutdownHook(new Thread(this::tell, "ebb"));
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String path, Class<?> was, ProtectionDomain domain, byte[] code) {
        String name = path == null ? "" : path.replace('/', '.');
        if (loader == null || path == null || !patterns.mayWant(name)) {
            return null;
        }
        try {
            return instrumented(name, code);
        } catch (RuntimeException | LinkageError e) { // a method that became too large, for one
            refuse(name, e);
            return null;
        }
    }

    private synchronized void refuse(String name, Throwable why) {
        if (refused++ == 0) {
            first = name + " (" + why + ")";
        }
    }

    private synchronized void tell() {
        if (refused > 0) {
            System.err.println("ebb: Java: classes that could not be instrumented, and count "
                + "nothing: " + refused + ", the first " + first);
        }
    }

    private byte[] instrumented(String name, byte[] code) {
        int version = code[MAJOR];
        byte[] readable = code;
        if (version > NEWEST) {
            // Later releases have added attributes, which ASM copies, and no instruction.
            readable = code.clone();
            readable[MAJOR] = NEWEST;
        }
        ClassReader in = new ClassReader(readable);
        Queue<Body> bodies = new ArrayDeque<>();
        in.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String method, String type, String generic, String[] thrown) {
                Body b = new Body(access, method);
                bodies.add(b);
                return b;
            }
        }, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        ClassWriter out = new ClassWriter(in, ClassWriter.COMPUTE_MAXS);
        boolean[] changed = new boolean[1];
        in.accept(new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String method, String type, String generic, String[] thrown) {
                MethodVisitor to = super.visitMethod(access, method, type, generic, thrown);
                Body b = bodies.remove();
                if (!b.isCode() || !patterns.want(name, method)) {
                    return to;
                }
                if (b.hasSubroutines()) {
                    throw new IllegalArgumentException("it has subroutines, of before Java 6");
                }
                changed[0] = true;
                return new Around(to, b, names.function(name + "." + method), version);
            }
        }, ClassReader.EXPAND_FRAMES);
        if (!changed[0]) {
            return null;
        }
        byte[] made = out.toByteArray();
        made[MAJOR] = (byte) version;
        return made;
    }
}
