package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
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
		if got := JVMs(c.command); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestJVMsOfAProcess(t *testing.T) {
	if files, err := JVMsOf(os.Getpid()); err != nil || len(files) != 0 {
		t.Errorf("of a Go program: %q, %v", files, err)
	}
	want := JVMs("java")
	source := filepath.Join(t.TempDir(), "Sleep.java")
	if err := os.WriteFile(source, []byte("class Sleep { public static void main(String[] a) throws Exception { System.in.read(); } }"), 0o644); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 {
		t.Skip("needs Java")
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
	var files []string
	for range 200 { // until it is mapped
		if files, err = JVMsOf(cmd.Process.Pid); err != nil || len(files) > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil || len(files) != 1 || len(distinct(append(files, want[0]))) != 1 {
		t.Errorf("%q, %v, want another name of %q", files, err, want[0])
	}
}
