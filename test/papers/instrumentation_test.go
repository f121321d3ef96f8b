package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/tolerance"
)

const jars = "/usr/share/java/"

// classPath are Debian's ASM, by which the agent changes classes.
var classPath = []string{jars + "asm.jar", jars + "asm-commons.jar", jars + "asm-tree.jar",
	jars + "asm-analysis.jar"}

// agent compiles the agent and the program with known calls, and makes agent.jar of it.
func agent(t testing.TB) (jar, classes string) {
	t.Helper()
	for _, program := range []string{"java", "javac", "jar"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s: openjdk-17-jdk-headless is not installed", program)
		}
	}
	for _, j := range classPath {
		if _, err := os.Stat(j); err != nil {
			t.Skipf("no ASM: libasm-java is not installed (%v)", err)
		}
	}
	classes = t.TempDir()
	do(t, "javac", "-d", classes, "-cp", strings.Join(classPath, ":"), "Agent.java", "Meter.java",
		"Calls.java")
	manifest := filepath.Join(classes, "manifest")
	text := "Premain-Class: Agent\nClass-Path: " + strings.Join(classPath, "\n  ") + "\n"
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	jar = filepath.Join(classes, "agent.jar")
	do(t, "sh", "-c", `cd "$1" && jar cfm agent.jar manifest Agent*.class Meter*.class`, "sh",
		classes)
	return jar, classes
}

// do runs a command and returns what it said on standard error.
func do(t testing.TB, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, &said)
	}
	return said.String()
}

var counted = regexp.MustCompile(`refused=(\d+) methods=(\d+) calls=(\d+) readings=(\d+)`)

// counts are what the agent said at the program's end.
func counts(t testing.TB, said string) (refused, methods, calls, readings int) {
	t.Helper()
	m := counted.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("the agent says nothing: %q", said)
	}
	var n [4]int
	for i := range n {
		v, err := strconv.Atoi(m[i+1])
		if err != nil {
			t.Fatal(err)
		}
		n[i] = v
	}
	return n[0], n[1], n[2], n[3]
}

// TestEveryCallIsCounted: the agent counts each call of a program whose calls are known, and reads
// at all of them or at a share.
func TestEveryCallIsCounted(t *testing.T) {
	jar, classes := agent(t)
	const rounds = 100_000
	const known = 1 + rounds + rounds/2 // main; even or odd; thrown
	for _, share := range []float64{0.05, 1}[:devtest.Cases(2, 1)] {
		said := do(t, "java", fmt.Sprintf("-javaagent:%s=%v", jar, share), "-cp", classes, "Calls",
			strconv.Itoa(rounds))
		refused, methods, calls, readings := counts(t, said)
		if refused != 0 || methods != 4 || calls != known {
			t.Errorf("share %v: %s; want 4 methods, %d calls", share, said, known)
		}
		lo, hi := known, known
		if share < 1 {
			lo, hi = tolerance.Count(known, share, tolerance.FalseAlarm)
		}
		if readings < lo || readings > hi {
			t.Errorf("share %v: %d readings, want %d to %d", share, readings, lo, hi)
		}
	}
}
