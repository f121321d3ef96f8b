package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// scratch holds what the tests build, once: ebb and the bundled workloads. Other users may read it.
var scratch string

func TestMain(m *testing.M) {
	if signal.Ignored(syscall.SIGHUP) { // under nohup; every ebb of these tests would ignore it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	dir, err := os.MkdirTemp("", "ebb-e2e-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	// Temporary files have a directory of their own: those of another ebb on this machine are not
	// these tests' leftovers.
	temp := filepath.Join(dir, "tmp")
	if err == nil {
		err = errors.Join(os.Mkdir(temp, 0o700), os.Chmod(temp, 0o777|os.ModeSticky),
			os.Setenv("TMPDIR", temp), os.Unsetenv("SUDO_UID"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// unbroken is a text whose sentences are broken into lines, in one.
func unbroken(text string) string { return strings.Join(strings.Fields(text), " ") }

var (
	// EBB_BINARY names another ebb: benchmarks compare two in turn.
	buildEbb = sync.OnceValues(func() (string, error) {
		if given := os.Getenv("EBB_BINARY"); given != "" {
			return given, nil
		}
		return build("ebb")
	})
	buildLab = sync.OnceValues(func() (string, error) { return build("ebb-lab") })
)

// firstInstruction is where the built programs begin, as the Makefile builds them.
const firstInstruction = "github.com/ebb-energy/ebb/internal/command.entry"

// build makes a program of cmd and returns its path.
func build(program string) (string, error) {
	path := filepath.Join(scratch, program)
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-E "+firstInstruction,
		"-o", path, "../../cmd/"+program)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return path, nil
}

var buildWorkloads = sync.OnceValues(func() (map[string][]string, error) {
	cmd := exec.Command("../../tools/workloads.sh", filepath.Join(scratch, "workloads"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("build workloads: %w\n%s", err, &stderr)
	}
	commands := map[string][]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		name, command, _ := strings.Cut(lines.Text(), "\t")
		commands[name] = strings.Fields(command)
	}
	return commands, nil
})

func ebbPath(t testing.TB) string {
	t.Helper()
	path, err := buildEbb()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// workload is the command of a bundled workload with these arguments. The test is skipped on a
// machine that lacks its compiler or its libraries.
func workload(t testing.TB, name string, args ...string) []string {
	t.Helper()
	commands, err := buildWorkloads()
	if err != nil {
		t.Fatal(err)
	}
	command, ok := commands[name]
	if !ok {
		t.Skipf("workload %s could not be built on this machine: see packages.txt", name)
	}
	return append(append([]string(nil), command...), args...)
}

// besideOthers has a test of make test run behind the others of this package, beside its like: it
// compares nothing with a stopwatch, and looks for nothing that another one may have just made. It
// is the first that a test calls.
func besideOthers(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Parallel()
	}
}

func needRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: loads BPF programs")
	}
}

// result is the output and the end of a finished ebb.
type result struct {
	stdout, stderr string
	code           int
	maxRSS         int64 // bytes
}

// hung is the time after which a command is considered hung, on a busy machine.
const hung = devtest.Hung

// command is ebb with arguments, in a session of its own, so that no terminal is involved and all
// it starts can be killed together.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return commandOf(t, ebbPath(t), args...)
}

// labCommand is ebb-lab with arguments, as command is ebb.
func labCommand(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	path, err := buildLab()
	if err != nil {
		t.Fatal(err)
	}
	return commandOf(t, path, args...)
}

func commandOf(t testing.TB, path string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), hung)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// finish runs a prepared command to its end.
func finish(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, &stderr)
	}
	r := result{stdout: stdout.String(), stderr: stderr.String(), code: cmd.ProcessState.ExitCode()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.maxRSS = usage.Maxrss * 1024
	}
	return r
}

// ebb runs it with arguments to its end.
func ebb(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, command(t, args...))
}

// lab runs ebb-lab with arguments to its end.
func lab(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, labCommand(t, args...))
}
