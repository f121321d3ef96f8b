// Copyright 2026 The ebb authors. SPDX-License-Identifier: Apache-2.0

import org.python.core.PyObject;
import org.python.core.PySystemState;
import org.python.util.PythonInterpreter;

/** Jython: each operation counts the words of a made-up text and sieves primes, in Python, one interpreter per thread. */
public final class Jython {
    private static final String PROGRAM = ""
        + "def work(seed):\n"
        + "    counts = {}\n"
        + "    x = seed\n"
        + "    for i in range(2000):\n"
        + "        x = (x * 1103515245 + 12345) % 2147483648\n"
        + "        w = 'w%d' % (x % 97)\n"
        + "        counts[w] = counts.get(w, 0) + 1\n"
        + "    sieve = [True] * 2000\n"
        + "    for p in range(2, 45):\n"
        + "        if sieve[p]:\n"
        + "            for m in range(p * p, 2000, p):\n"
        + "                sieve[m] = False\n"
        + "    return max(counts.values()) + sum(1 for s in sieve[2:] if s)\n";

    public static void main(String[] args) throws Exception {
        System.setProperty("python.cachedir.skip", "true");
        System.setProperty("python.console.encoding", "UTF-8");
        System.setProperty("python.import.site", "false");
        PythonInterpreter.initialize(System.getProperties(), null, new String[0]);
        Load.run(args, thread -> {
            PythonInterpreter python = new PythonInterpreter(null, new PySystemState());
            python.exec(PROGRAM);
            PyObject work = python.get("work");
            return i -> work.__call__(python.eval(Integer.toString(thread * 1000 + i))).asLong();
        });
    }
}
