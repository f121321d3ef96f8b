package live

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/usdt/usdttest"
	"github.com/ebb-energy/ebb/internal/regular"
)

// put makes a file with the directories above it.
func put(t *testing.T, path string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestJVMsOfACommand(t *testing.T) {
	dir := t.TempDir()
	eleven := put(t, filepath.Join(dir, "eleven/lib/server/libjvm.so"), 0o644)
	put(t, filepath.Join(dir, "eleven/bin/java"), 0o755)
	eight := put(t, filepath.Join(dir, "eight/jre/lib/amd64/server/libjvm.so"), 0o644)
	put(t, filepath.Join(dir, "eight/bin/java"), 0o755)
	script := put(t, filepath.Join(dir, "bin/start"), 0o755)
	if err := os.Symlink(filepath.Join(dir, "eight/bin/java"), filepath.Join(dir, "bin/java")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command, path, home string
		want                []string
	}{
		"the launcher itself":      {filepath.Join(dir, "eleven/bin/java"), "", "", []string{eleven}},
		"a link in the path":       {"java", filepath.Join(dir, "bin"), "", []string{eight}},
		"a script, JAVA_HOME":      {script, "", filepath.Join(dir, "eleven"), []string{eleven}},
		"a script, both":           {script, filepath.Join(dir, "bin"), filepath.Join(dir, "eleven"), []string{eight, eleven}},
		"one by two names is one":  {"java", filepath.Join(dir, "bin"), filepath.Join(dir, "eight"), []string{eight}},
		"no JVM":                   {script, "", "", nil},
		"JAVA_HOME that is no JVM": {script, "", dir, nil},
	} {
		t.Setenv("PATH", c.path)
		t.Setenv("JAVA_HOME", c.home)
		got, err := JVMs(c.command)
		if names := namesOf(got); err != nil || !slices.Equal(names, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, names, err, c.want)
		}
	}
}

// namesOf closes the files of JVMs and returns their names.
func namesOf(jvms []JVM) (names []string) {
	for _, j := range jvms {
		names = append(names, j.File.Name())
		j.File.Close()
	}
	return names
}

// A pipe where a runtime should be is waited for by nobody, and the other runtimes are found beside it.
func TestJVMsThatAreNoFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	sound := put(t, filepath.Join(dir, "sound/lib/server/libjvm.so"), 0o644)
	put(t, filepath.Join(dir, "sound/bin/java"), 0o755)
	pipe := put(t, filepath.Join(dir, "bad/lib/server/libjvm.so"), 0o644)
	if err := errors.Join(os.Remove(pipe), unix.Mkfifo(pipe, 0o644)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Join(dir, "sound/bin"))
	t.Setenv("JAVA_HOME", filepath.Join(dir, "bad"))
	got, err := JVMs("java")
	if names := namesOf(got); !errors.Is(err, regular.ErrNotRegular) || !slices.Equal(names, []string{sound}) {
		t.Errorf("%q, %v", names, err)
	}
}

func TestJVMsOfAProcess(t *testing.T) {
	if found, err := JVMsOf(os.Getpid()); err != nil || len(found) != 0 {
		t.Errorf("of a Go program: %q, %v", namesOf(found), err)
	}
	if _, err := JVMsOf(1 << 30); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of no process: %v", err)
	}
	want, err := JVMs("java")
	if err != nil || len(want) == 0 {
		t.Skip("needs Java: ", err)
	}
	defer namesOf(want)
	source := filepath.Join(t.TempDir(), "Sleep.java")
	if err := os.WriteFile(source, []byte("class Sleep { public static void main(String[] a) throws Exception { System.in.read(); } }"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("java", source)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	var found []JVM
	for range 200 { // until it is mapped
		if found, err = JVMsOf(cmd.Process.Pid); err != nil || len(found) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if errors.Is(err, unix.EPERM) {
		t.Skip("needs CAP_CHECKPOINT_RESTORE: ", err)
	}
	if err != nil || len(found) != 1 || found[0].PID != cmd.Process.Pid {
		t.Fatalf("%+v, %v, want one of process %d", found, err, cmd.Process.Pid)
	}
	defer found[0].File.Close()
	got, err := found[0].File.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := want[0].File.Stat(); err != nil || !os.SameFile(got, info) {
		t.Errorf("%+v is not %+v, %v", got, info, err)
	}
	if at, err := found[0].Collector(); err != nil || len(at.Begins) == 0 {
		t.Errorf("%+v, %v", at, err)
	}
}

// TestJVMsOfATarget: what a process maps under the name of a runtime is opened as it is mapped; the name is followed nowhere.
func TestJVMsOfATarget(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(dir, "libjvm.so")
	image := usdttest.Runtime([]byte("\x90\x90"), usdttest.CodeAt, usdttest.CodeAt+1)
	if err := os.WriteFile(lib, image, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(lib)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(m)
	if err := errors.Join(os.Remove(lib), os.Symlink("/etc/passwd", lib)); err != nil {
		t.Fatal(err)
	}
	found, err := JVMsOf(os.Getpid())
	if errors.Is(err, unix.EPERM) {
		t.Skip("needs CAP_CHECKPOINT_RESTORE: ", err)
	}
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	defer found[0].File.Close()
	if at, err := found[0].Collector(); err != nil || !slices.Equal(at.Begins, []uint64{usdttest.CodeAt}) {
		t.Errorf("%+v, %v", at, err)
	}
}
