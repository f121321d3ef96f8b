// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.concurrent.atomic.AtomicInteger;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.AdviceAdapter;
import org.objectweb.asm.commons.JSRInlinerAdapter;
import org.objectweb.asm.commons.Method;

/**
 * Makes every method of a program read the energy when it is called and when it returns, at a share of the calls:
 * -javaagent:agent.jar=SHARE. The JDK's own classes and constructors are left as they are.
 */
public final class Agent {
    private static final Type METER = Type.getType(Meter.class);
    private static final AtomicInteger CLASSES = new AtomicInteger();
    private static final AtomicInteger REFUSED = new AtomicInteger();

    private Agent() {}

    public static void premain(String share, Instrumentation jvm) {
        Meter.begin(Double.parseDouble(share));
        jvm.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(
                    ClassLoader loader, String name, Class<?> was, ProtectionDomain domain, byte[] code) {
                if (loader == null || name == null || own(name)) {
                    return null;
                }
                try {
                    byte[] out = instrumented(code);
                    CLASSES.incrementAndGet();
                    return out;
                } catch (RuntimeException e) { // a method that became too large, for one
                    REFUSED.incrementAndGet();
                    return null;
                }
            }
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println(
            "instrumented classes=" + CLASSES + " refused=" + REFUSED + " methods=" + Meter.methods()
                + " calls=" + Meter.calls() + " readings=" + Meter.readings() + " meter=" + Meter.file())));
    }

    /** The agent's and the JDK's classes. */
    private static boolean own(String name) {
        for (String prefix : new String[] {"java/", "javax/", "jdk/", "sun/", "com/sun/", "org/objectweb/asm/"}) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return name.equals("Agent") || name.startsWith("Agent$") || name.equals("Meter");
    }

    private static byte[] instrumented(byte[] code) {
        ClassReader in = new ClassReader(code);
        ClassWriter out = new ClassWriter(in, ClassWriter.COMPUTE_MAXS);
        in.accept(new ClassVisitor(Opcodes.ASM9, out) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String type, String generic, String[] thrown) {
                MethodVisitor to = super.visitMethod(access, name, type, generic, thrown);
                if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0 || name.startsWith("<")) {
                    return to;
                }
                return new JSRInlinerAdapter(new Around(to, access, name, type), access, name, type, generic, thrown);
            }
        }, ClassReader.EXPAND_FRAMES);
        return out.toByteArray();
    }

    /** Calls the meter at a method's beginning and at each of its ends. */
    private static final class Around extends AdviceAdapter {
        private final int id = Meter.add();
        private int started;

        Around(MethodVisitor to, int access, String name, String type) {
            super(Opcodes.ASM9, to, access, name, type);
        }

        @Override
        protected void onMethodEnter() {
            started = newLocal(Type.LONG_TYPE);
            push(id);
            invokeStatic(METER, new Method("enter", "(I)J"));
            storeLocal(started);
        }

        @Override
        protected void onMethodExit(int opcode) {
            push(id);
            loadLocal(started);
            invokeStatic(METER, new Method("leave", "(IJ)V"));
        }
    }
}
