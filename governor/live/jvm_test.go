package live

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/safefile"
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
	if err := os.Symlink(filepath.Join(dir, "eight/bin/java"),
		filepath.Join(dir, "bin/java")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		command, path, home string
		want                []string
	}{
		"the launcher itself": {filepath.Join(dir, "eleven/bin/java"), "", "",
			[]string{eleven}},
		"a link in the path":  {"java", filepath.Join(dir, "bin"), "", []string{eight}},
		"a script, JAVA_HOME": {script, "", filepath.Join(dir, "eleven"), []string{eleven}},
		"a script, both": {script, filepath.Join(dir, "bin"),
			filepath.Join(dir, "eleven"), []string{eight, eleven}},
		"one by two names is one": {"java", filepath.Join(dir, "bin"), filepath.Join(dir, "eight"),
			[]string{eight}},
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

// TestJVMsThatAreNoFiles: a pipe where a runtime should be blocks nothing, and the other runtimes
// are found.
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
	if names := namesOf(got); !errors.Is(err, safefile.ErrNotRegular) ||
		!slices.Equal(names, []string{sound}) {
		t.Errorf("%q, %v", names, err)
	}
}
