package calls_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// built are the libraries, and the directory for programs.
type built struct{ dir, shared, static string }

// build compiles the library as make does.
func build(t *testing.T) *built {
	t.Helper()
	for _, tool := range []string{"gcc", "ar", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s to compile the library with", tool)
		}
	}
	b := &built{dir: t.TempDir()}
	run(t, exec.Command("make", "-s", "-C", "runtime", "OUT="+b.dir))
	b.shared = filepath.Join(b.dir, "libebb-functions.so")
	b.static = filepath.Join(b.dir, "libebb-functions.a")
	return b
}

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
}

// program compiles a program of testdata with instrumentation.
func (b *built) program(t *testing.T, source string, options ...string) string {
	t.Helper()
	compiler := "gcc"
	if filepath.Ext(source) == ".cc" {
		compiler = "g++"
	}
	return b.by(t, compiler, "-finstrument-functions", source, options...)
}

// by compiles like program, with a compiler and its flag for instrumentation.
func (b *built) by(t *testing.T, compiler, flag, source string, options ...string) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("there is no %s to compile the program with", compiler)
	}
	out := filepath.Join(b.dir, source+".out")
	args := append([]string{"-O2", "-g", flag, "-pthread", filepath.Join("testdata", source), "-o",
		out}, options...)
	run(t, exec.Command(compiler, args...))
	return out
}
