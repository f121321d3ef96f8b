//go:build !race

// The sandbox's limit of memory is too low for the race detector.

package jvm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// openedFor opens a follower of VESTA's events.
func openedFor(t *testing.T, events []string) *Follower {
	t.Helper()
	f, err := Follow(nil, events)
	if errors.Is(err, errPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// javaHome returns the home of this machine's Java.
func javaHome(t *testing.T) string {
	t.Helper()
	javac, err := exec.LookPath("javac")
	if err == nil {
		javac, err = filepath.EvalSymlinks(javac)
	}
	if err != nil {
		t.Skip("needs Java: ", err)
	}
	return filepath.Dir(filepath.Dir(javac))
}

// otherHome makes a home whose library is a copy, and everything else a link.
func otherHome(t *testing.T, home string) string {
	t.Helper()
	other := t.TempDir()
	for _, dir := range []string{"bin", "lib/server"} {
		if err := os.MkdirAll(filepath.Join(other, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(home, "lib/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if filepath.Base(name) != "server" {
			err = errors.Join(err, os.Symlink(name, filepath.Join(other, "lib",
				filepath.Base(name))))
		}
	}
	err = errors.Join(err, os.Symlink(filepath.Join(home, "conf"), filepath.Join(other, "conf")))
	for _, file := range []string{"bin/java", "lib/server/libjvm.so"} {
		text, readErr := os.ReadFile(filepath.Join(home, file))
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(other, file), text, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// sleeper sleeps again and again until its input ends.
const sleeper = `class Sleeper {
  public static void main(String[] a) throws Exception {
    System.out.println("ready");
    while (System.in.available() == 0) Thread.sleep(10);
  }
}`

// jvmProcess is a Java machine that sleeps.
type jvmProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
}

// begin starts one as part of the target, behind a shell, and waits until it runs.
func begin(t *testing.T, f *Follower, home, classes string) *jvmProcess {
	t.Helper()
	p := &jvmProcess{cmd: exec.Command("sh", "-c", `"$@"; exit 0`, "sh",
		filepath.Join(home, "bin/java"), "-Xshare:auto", "-cp", classes, "Sleeper")}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Launch(p.cmd.Start); err != nil {
		t.Fatal(err)
	}
	p.in = in
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return p
}

func (p *jvmProcess) end(t *testing.T) {
	t.Helper()
	_, err := io.WriteString(p.in, "\n")
	if err = errors.Join(err, p.cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// sleeps waits until sleeps are counted, while it looks for JVMs.
func sleeps(t *testing.T, f *Follower) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		in := map[string]float64{}
		if _, err := f.Window(in); err != nil {
			t.Fatal(err)
		}
		if in["jvm_thread__sleep_count"] > 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no sleep was counted; problems: %q", f.Problems())
}

// TestLaterJVMs: JVMs that start later, behind shells, are found: one whose library was deleted
// meanwhile, and another one with another library.
func TestLaterJVMs(t *testing.T) {
	home := javaHome(t)
	f := openedFor(t, VESTA)
	classes := t.TempDir()
	source := filepath.Join(classes, "Sleeper.java")
	if err := os.WriteFile(source, []byte(sleeper), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(filepath.Join(home, "bin/javac"), "-d", classes,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	other := otherHome(t, home)
	first := begin(t, f, other, classes)
	if err := os.Remove(filepath.Join(other, "lib/server/libjvm.so")); err != nil {
		t.Fatal(err)
	}
	sleeps(t, f)
	second := begin(t, f, home, classes)
	first.end(t)
	f.Restart()
	sleeps(t, f)
	second.end(t)
	if p := f.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

// attachedTo attaches to a library of these bytes, and returns the problems.
func attachedTo(t *testing.T, f *Follower, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), usdt.JVMLibrary)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := f.Attach(t.Context(), file, 0); err != nil {
		t.Fatal(err)
	}
	return strings.Join(f.Problems(), "\n")
}

// TestOddLibraries: a JVM without probes or with some of them only, and a file that is none, are a
// sentence.
func TestOddLibraries(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(javaHome(t), "lib/server", usdt.JVMLibrary))
	if err != nil {
		t.Fatal(err)
	}
	bare := bytes.ReplaceAll(text, []byte(".note.stapsdt\x00"), []byte(".note.nothing\x00"))
	if got := attachedTo(t, openedFor(t, VESTA), bare); !strings.Contains(got, "without probes") {
		t.Errorf("no probes: %q", got)
	}
	some := devtest.JVMRuntime([]byte("\x90\x90"), devtest.USDTCodeAt, devtest.USDTCodeAt+1)
	whole := openedFor(t, []string{"gc", "safepoint"})
	whole.OnlyWhole()
	if got := attachedTo(t, whole, some); !strings.Contains(got, "has no probes safepoint") {
		t.Errorf("some probes: %q", got)
	}
	if got := attachedTo(t, openedFor(t, []string{"gc"}), some); got != "" {
		t.Errorf("all that are wanted: %q", got)
	}
	if got := attachedTo(t, openedFor(t, VESTA), []byte("no library")); !strings.Contains(got,
		"malformed") {
		t.Errorf("no library: %q", got)
	}
	noNop := devtest.JVMRuntime([]byte("\xc3\xc3"), devtest.USDTCodeAt, devtest.USDTCodeAt+1)
	if got := attachedTo(t, openedFor(t, []string{"gc"}), noNop); !strings.Contains(got, "no nop") {
		t.Errorf("no nop: %q", got)
	}
}
