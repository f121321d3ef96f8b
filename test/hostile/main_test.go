package hostile

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var (
	given = flag.String("binary", os.Getenv("EBB_BINARY"),
		"attack this ebb (default: the one of this checkout)")
	all = flag.Bool("all", false, "run all attacks, not the representative ones alone")
)

// attackerName is the base name under which the test's own executable is a hostile program.
const attackerName = "attacker"

// scratch is where everything lies that the tests make. Anybody may look into it.
var scratch string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == attackerName {
		attackerMain(os.Args[1:])
		return
	}
	flag.Parse()
	os.Unsetenv("SUDO_UID") // its user would be trusted, and run what ebb runs
	dir, err := os.MkdirTemp("", "ebb-hostile-")
	if err == nil {
		scratch = dir
		err = prepare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// prepare copies both executables to where nobody may execute them. The copy of ebb is also what
// ebb's processes are known by.
func prepare() error {
	if err := os.Chmod(scratch, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := install(self, filepath.Join(scratch, attackerName)); err != nil {
		return err
	}
	if *given != "" {
		return install(*given, ebbPath())
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", ebbPath(), "../../cmd/ebb")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build ebb: %w\n%s", err, out)
	}
	return nil
}

func ebbPath() string { return filepath.Join(scratch, "ebb") }

func install(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: ebb does, and to become another user")
	}
}
