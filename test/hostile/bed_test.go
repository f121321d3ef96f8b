package hostile

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// nobody is the user and the group of hostile programs.
const nobody = 65534

// bed is what an attack needs: files that stand for the machine's clocks, a directory that is
// nobody's, and one that is root's.
type bed struct {
	tree, runDir string
	dir          string // nobody's
	own          string // root's; nobody may not look into it
}

func lay(t *testing.T) *bed {
	t.Helper()
	needRoot(t)
	b := &bed{tree: devtest.Tree(t, devtest.Desktop), runDir: filepath.Join(t.TempDir(), "run")}
	var err error
	if b.dir, err = os.MkdirTemp(scratch, "nobody-"); err != nil {
		t.Fatal(err)
	}
	if b.own, err = os.MkdirTemp(scratch, "root-"); err != nil {
		t.Fatal(err)
	}
	chown(t, b.dir)
	must(t, os.Chmod(b.dir, 0o755))
	t.Cleanup(func() { os.RemoveAll(b.dir); os.RemoveAll(b.own) })
	return b
}

// clocks are the controls' values. Desktop has them so at first.
var untouched = map[string]string{"scaling_governor": "schedutil", "scaling_min_freq": "1000000",
	"scaling_max_freq": "4000000"}

// touched says whether a control is not as it was found.
func (b *bed) touched() bool {
	for file, want := range untouched {
		got, err := os.ReadFile(filepath.Join(b.tree, "devices/system/cpu/cpufreq/policy0", file))
		if err != nil || strings.TrimSpace(string(got)) != want {
			return true
		}
	}
	return false
}

// machine are the flags that have ebb take the tree for the machine.
func (b *bed) machine() []string { return []string{"--sysfs", b.tree, "--run-dir", b.runDir} }

// nobodys are the flags of a run of a hostile program.
func (b *bed) nobodys(flags ...string) []string {
	return append(append([]string{"run", "--quantum", "5ms", "--user", strconv.Itoa(nobody)},
		b.machine()...), flags...)
}

// file makes a file of nobody's in the bed's directory.
func (b *bed) file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(b.dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, content, 0o755))
	chown(t, path)
	return path
}

// secret makes a file that is root's alone.
func (b *bed) secret(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(b.own, name)
	must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// keeps fails the test when the file has another content.
func keeps(t *testing.T, path, content string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != content {
		t.Errorf("%s was changed: %.100q, %v", path, got, err)
	}
}

// absent fails the test when the file is there.
func absent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("%s was made", path)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string) {
	t.Helper()
	must(t, os.Lchown(path, nobody, nobody))
}

// attacker is the command of a hostile program.
func attacker(role string, args ...string) []string {
	return append([]string{filepath.Join(scratch, attackerName), role}, args...)
}
