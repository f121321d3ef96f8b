package calls_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/child"
)

// javaAgent makes the library and the agent in a directory, and compiles a program there.
func javaAgent(t testing.TB, source string) (dir string) {
	t.Helper()
	for _, program := range []string{"javac", "java", "jar", "gcc", "make"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s", program)
		}
	}
	if _, err := os.Stat("/usr/share/java/asm.jar"); err != nil {
		t.Skipf("libasm-java is not installed: %v", err)
	}
	dir = t.TempDir()
	for _, argv := range [][]string{
		{"make", "-s", "-C", "runtime", "OUT=" + dir}, {"make", "-s", "-C", "java", "OUT=" + dir},
		{"javac", "-d", dir, source},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	return dir
}

// javaOptions returns the options by which a Java machine counts the methods of some patterns.
func javaOptions(dir string, patterns ...string) []string {
	return calls.JavaOptions(filepath.Join(dir, "libebb-functions.so"),
		filepath.Join(dir, "ebb-functions.jar"), patterns)
}

// TestJavaClassTooLarge: a class that has no room for hooks runs on as it was, one sentence says
// so, and others are counted. Without ebb the agent does and says nothing.
func TestJavaClassTooLarge(t *testing.T) {
	devtest.Long(t)
	const operations = 9359 // operations of 7 bytes; a method has 65535
	source := filepath.Join(t.TempDir(), "Large.java")
	text := "public class Large {\nstatic class Other { static void small() {} }\n" +
		"static long large(long x) {\n" + strings.Repeat("x ^= x << 7;\n", operations) +
		"return x;\n}\npublic static void main(String[] a) {\n" +
		"for (int i = 0; i < 7; i++) Other.small();\nSystem.out.println(large(0));\n}\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := javaAgent(t, source)
	m, err := calls.CreateShared(&instrumented.Settings{Records: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	name, value, err := m.Hand()
	if err != nil {
		t.Fatal(err)
	}
	java := func(env ...string) (stdout, stderr string) {
		cmd := exec.Command("java", append(javaOptions(dir, "Large*"), "-cp", dir, "Large")...)
		cmd.Env = append(os.Environ(), env...)
		var out, problems bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &problems
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, &problems)
		}
		return out.String(), problems.String()
	}
	out, problems := java(name + "=" + value)
	if out != "0\n" || strings.Count(problems, "\n") != 1 || !strings.Contains(problems,
		"could not be instrumented, and count nothing: 1, the first Large (") {
		t.Errorf("the program says %q, and the agent %q", out, problems)
	}
	calls := map[uint64]uint64{}
	child.NewRingReader(m.Reader()).Calls(0, 1<<20, func(x *instrumented.Calls) {
		calls[x.Function] += x.Calls
	})
	sum := uint64(0)
	for f, n := range calls {
		if sum += n; f < instrumented.Managed {
			t.Errorf("function %#x has %d calls", f, n)
		}
	}
	if sum != 7 {
		t.Errorf("%d calls of the other class, not 7: %v", sum, calls)
	}
	if out, problems = java(); out != "0\n" || problems != "" {
		t.Errorf("without ebb: %q, %q", out, problems)
	}
}

func TestCheckJava(t *testing.T) {
	for _, c := range []struct {
		patterns string
		good     bool
	}{
		{"com.app.*", true}, {"a.B$C.<init>,!a.*", true}, {"größe.*", true}, {"*", true},
		{"!a", false}, {"", false}, {"a,,b", false}, {"a b", false}, {"a=b", false},
		{"a\"", false}, {"!", false}, {"a;b", false},
	} {
		err := calls.CheckJava(strings.Split(c.patterns, ","))
		if (err == nil) != c.good {
			t.Errorf("%q: %v", c.patterns, err)
		}
	}
}
