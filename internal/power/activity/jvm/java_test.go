package jvm

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs/usdt"
)

// program collects garbage and sleeps a known number of times.
const program = `class Known {
  public static void main(String[] a) throws Exception {
    for (int i = 0; i < 7; i++) System.gc();
    for (int i = 0; i < 5; i++) Thread.sleep(100);
  }
}`

// compiled builds the program and returns its command line, and its JVM's library.
func compiled(t testing.TB) (argv []string, library string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	javac, err := exec.LookPath("javac")
	if err != nil {
		t.Skip("needs Java: ", err)
	}
	javac, err = filepath.EvalSymlinks(javac)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "Known.java")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(javac, "-d", dir, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	home := filepath.Dir(filepath.Dir(javac))
	return []string{filepath.Join(home, "bin/java"), "-XX:+UseSerialGC", "-cp", dir, "Known"},
		filepath.Join(home, "lib/server", usdt.JVMLibrary)
}

// probes opens a JVM's library and finds its events.
func probes(t testing.TB, library string) (*os.File, []usdt.Event) {
	t.Helper()
	f, err := os.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, err := usdt.FindEvents(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return f, list
}

// loaded loads the programs.
func loaded(t testing.TB, events []string) *programs {
	t.Helper()
	p, err := open(nil, events)
	if errors.Is(err, ErrNotSupported) || errors.Is(err, errPermission) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// opened loads the programs and attaches to every process's probes.
func opened(t testing.TB, library string) *programs {
	t.Helper()
	p := loaded(t, VESTA)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	f, list := probes(t, library)
	if err := p.Attach(f, list, 0); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestJava: what a program is known to do is counted, in a process that a shell of the target
// starts, and none of a program that is not the target's.
func TestJava(t *testing.T) {
	argv, library := compiled(t)
	p := opened(t, library)
	var a account
	read := func() []window {
		r, err := p.Read()
		if err != nil {
			t.Fatal(err)
		}
		return a.next(r)
	}
	read()
	cmd := exec.Command("sh", "-c", `"$@"; exit 0`, "sh")
	cmd.Args = append(cmd.Args, argv...)
	if err := p.Launch(cmd.Start); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if pids, lost := p.started(); len(pids) != 2 || !slices.Contains(pids, cmd.Process.Pid) ||
		lost != 0 {
		t.Errorf("shell %d and its program: %d, %d lost", cmd.Process.Pid, pids, lost)
	}
	in := map[string]float64{}
	windows := read()
	put(in, VESTA, windows, 1e9)
	if in["jvm_gc_count"] != 7 || in["jvm_thread__sleep_count"] != 5 ||
		in["jvm_compiled__method__load_count"] < 10 || in["jvm_safepoint_count"] < 7 {
		t.Errorf("counted %v", in)
	}
	for i, w := range windows {
		if w.Open != 0 || w.Threads < 0 || VESTA[i] == "gc" && w.Begun != w.Ended {
			t.Errorf("%s: %+v", VESTA[i], w)
		}
	}
	if err := exec.Command(argv[0], argv[1:]...).Run(); err != nil {
		t.Fatal(err)
	}
	for i, w := range read() {
		if w.Begun != 0 || w.Ended != 0 {
			t.Errorf("%s of another program: %+v", VESTA[i], w)
		}
	}
	if pids, _ := p.started(); len(pids) != 0 {
		t.Errorf("another program was noticed: %d", pids)
	}
}

// TestEventsOfThisJVM: all of VESTA's events are in this machine's JVM, those at a moment included.
func TestEventsOfThisJVM(t *testing.T) {
	_, library := compiled(t)
	_, list := probes(t, library)
	at := map[string]usdt.Event{}
	for _, e := range list {
		at[e.Name] = e
	}
	for _, name := range VESTA {
		e, ok := at[name]
		if moment := strings.HasPrefix(name, "compiled__"); !ok || moment != (e.Ends == nil) {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestEndedProcessesMakeRoom: breakpoints of processes that have ended give way to others'.
func TestEndedProcessesMakeRoom(t *testing.T) {
	_, library := compiled(t)
	p := loaded(t, []string{"gc"})
	defer p.Close()
	f, list := probes(t, library)
	p.most = 2
	for range 4 {
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := p.Attach(f, list, cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if p.links[0].pid == 0 {
			t.Skip("this kernel cannot limit breakpoints to a process")
		}
	}
	if len(p.links) > p.most {
		t.Errorf("%d links", len(p.links))
	}
}

// TestAttachedOnce: whoever is attached to twice, as when a process begins a second program with
// the same JVM, has its events counted once.
func TestAttachedOnce(t *testing.T) {
	_, library := compiled(t)
	p := loaded(t, []string{"gc"})
	defer p.Close()
	f, list := probes(t, library)
	for i, pid := range []int{os.Getpid(), os.Getpid(), 0, os.Getpid(), 0} {
		if err := p.Attach(f, list, pid); err != nil {
			t.Fatal(err)
		}
		if len(p.links) != 1 || i >= 2 && p.links[0].pid != 0 {
			t.Fatalf("%d links after %d", len(p.links), i+1)
		}
	}
}
