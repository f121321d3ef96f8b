// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0
package ebb;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Which methods are instrumented: classes or methods with commas between them, where * stands for
 * any text and ! excludes. The last that fits decides.
 */
public final class Patterns {
    /** What this agent and the JDK are made of. */
    private static final String[] NEVER = {"java.", "javax.", "jdk.", "sun.", "com.sun.", "ebb."};

    private final List<Pattern> list = new ArrayList<>();
    private final List<Boolean> wanted = new ArrayList<>();

    Patterns(String text) {
        for (String part : (text == null ? "" : text).split(",")) {
            boolean excludes = part.startsWith("!");
            String glob = excludes ? part.substring(1) : part;
            if (glob.isEmpty()) {
                continue;
            }
            list.add(Pattern.compile("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E"));
            wanted.add(!excludes);
        }
        if (list.isEmpty()) {
            throw new IllegalArgumentException("no pattern says which methods");
        }
    }

    /** Whether a class can have methods that are wanted. */
    public boolean mayWant(String name) {
        for (String prefix : NEVER) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    /** Whether a method of a class is wanted. */
    public boolean want(String name, String method) {
        String whole = name + "." + method;
        for (int i = list.size() - 1; i >= 0; i--) {
            Pattern p = list.get(i);
            if (p.matcher(name).matches() || p.matcher(whole).matches()) {
                return wanted.get(i);
            }
        }
        return false;
    }
}
