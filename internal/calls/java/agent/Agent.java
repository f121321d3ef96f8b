// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.net.URL;

/**
 * Has the methods of a Java program count their calls: -javaagent:ebb-functions.jar=PATTERNS. It
 * does nothing where ebb does not follow the program.
 */
public final class Agent {
    private static final String LIBRARY = "libebb-functions.so";
    private static final int OLDEST = 17;
    private static final int NOT_FOLLOWED = -1;

    private Agent() {}

    public static void premain(String patterns, Instrumentation jvm) {
        String version = System.getProperty("java.specification.version");
        if (version.startsWith("1.") || Integer.parseInt(version) < OLDEST) {
            say("calls are counted in Java " + OLDEST + " or newer, and this is " + version);
            return;
        }
        try {
            int names = names();
            if (names == NOT_FOLLOWED) {
                return;
            }
            jvm.addTransformer(transformer(new Patterns(patterns), new Names(names)), true);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            say("no calls are counted: " + e);
        }
    }

    private static int names() {
        try {
            return Hooks.names(); // -agentpath has loaded the library
        } catch (UnsatisfiedLinkError e) {
            System.load(library());
            return Hooks.names();
        }
    }

    static void say(String text) {
        System.err.println("ebb: Java: " + text);
    }

    /** The library that ebb has preloaded, or else the one beside the agent's own file. */
    private static String library() {
        String preloaded = System.getenv("LD_PRELOAD");
        for (String path : preloaded == null ? new String[0] : preloaded.split("[: ]")) {
            if (path.endsWith("/" + LIBRARY)) {
                return path;
            }
        }
        URL own = ClassLoader.getSystemResource("ebb/Hooks.class"); // jar:file:PATH!/ebb/Hooks.class
        String path = own.getPath();
        File jar = new File(URI.create(path.substring(0, path.indexOf('!'))));
        return new File(jar.getAbsoluteFile().getParentFile(), LIBRARY).getPath();
    }

    /**
     * The transformer has classes of a loader of its own: the program may bring another release of
     * the library that changes classes.
     */
    private static ClassFileTransformer transformer(Patterns patterns, Names names)
            throws ReflectiveOperationException {
        return (ClassFileTransformer) new Own().loadClass("ebb.rewriter.Rewriter")
            .getConstructor(Patterns.class, Names.class).newInstance(patterns, names);
    }

    /** Loads what the jar has below own/. */
    private static final class Own extends ClassLoader {
        Own() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            String path = "own/" + name.replace('.', '/') + ".class";
            try (InputStream in = ClassLoader.getSystemResourceAsStream(path)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                ByteArrayOutputStream code = new ByteArrayOutputStream();
                byte[] part = new byte[1 << 13];
                for (int n; (n = in.read(part)) >= 0;) {
                    code.write(part, 0, n);
                }
                return defineClass(name, code.toByteArray(), 0, code.size());
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
