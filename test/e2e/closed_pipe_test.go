package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// nobodyReads is the write end of a pipe whose read end is closed.
func nobodyReads(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	t.Cleanup(func() { w.Close() })
	return w
}

// TestNobodyReadsTheSummary: `ebb run ... 2>&1 | head` puts the machine's frequencies back and
// writes its report, and the command's own pipes end it as they always do.
func TestNobodyReadsTheSummary(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	dir := t.TempDir()
	tree := devtest.Tree(t, devtest.Desktop)
	report := filepath.Join(dir, "r.json")
	cmd := command(t, "run", "--sysfs", tree, "--run-dir", filepath.Join(dir, "run"), "--report",
		report, "--", "sh", "-c", "yes | head -n 1 >/dev/null; exit 7")
	cmd.Stderr = nobodyReads(t)
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("ended with %v, want the command's status 7", err)
	}
	if r := readReport(t, report); r.WallNS <= 0 {
		t.Errorf("wall time %d ns", r.WallNS)
	}
	b, err := os.ReadFile(filepath.Join(tree,
		"devices/system/cpu/cpufreq/policy0/scaling_governor"))
	if err != nil || strings.TrimSpace(string(b)) != "schedutil" {
		t.Errorf("afterwards the governor is %q (%v), want schedutil", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "run")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run directory is still there (%v)", err)
	}
}

// TestNobodyReadsTheOutput: a command that only prints ends as any other program in a pipe, without
// a word.
func TestNobodyReadsTheOutput(t *testing.T) {
	for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"version"},
		{"bench", "--sim", "quick.single", "--runs", "2", "--frequencies", "2GHz", "-q"}} {
		cmd := command(t, args...)
		if args[0] == "bench" {
			cmd = labCommand(t, args...)
		}
		cmd.Stdout = nobodyReads(t)
		var said strings.Builder
		cmd.Stderr = &said
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 128+int(syscall.SIGPIPE) || said.Len() > 0 {
			t.Errorf("%v: %v, said %q; want status 141 and nothing said", args, err, said.String())
		}
	}
}

// TestFullDisk: ebb reports a failed write in one sentence with the file's name, and by its status.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"doctor"}, {"version"}, {"--help"}, {"help"}, {"help", "run"},
		{"report", "--help"}, {"completion", "bash"}, {"completion"},
		{"restore", "--run-dir", t.TempDir()}} {
		cmd := command(t, args...)
		cmd.Stdout = full
		var said strings.Builder
		cmd.Stderr = &said
		err := cmd.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 ||
			strings.Count(said.String(), "\n") != 1 ||
			!strings.Contains(said.String(), "no space left") {
			t.Errorf("%v on a full disk: %v, said %q; want status 1 and why", args, err,
				said.String())
		}
	}
	needRoot(t)
	nothingLeft(t)
	mount := "mount -t tmpfs -o size=16k none $0 && cd $0 && exec \"$@\""
	dir := t.TempDir()
	if out, err := exec.Command("unshare", "-m", "sh", "-c", mount, dir,
		"true").CombinedOutput(); err != nil {
		t.Skipf("no mount namespace here: %v %s", err, out)
	}
	loop := []string{"--", "sh", "-c", "i=0; while [ $i -lt 600 ]; do i=$((i+1)); /bin/true; done"}
	writers := [][]string{{"run", "--report", "out"}, {"run", "--record", "out"},
		{"record", "--epochs", "out"}}
	for _, flags := range writers[:devtest.Cases(len(writers), 2)] {
		cmd := command(t, append(append(flags, "-q"), loop...)...)
		cmd.Args = append([]string{"unshare", "-m", "sh", "-c", mount, dir}, cmd.Args...)
		if cmd.Path, err = exec.LookPath("unshare"); err != nil {
			t.Skip(err)
		}
		refused(t, finish(t, cmd), 1, "out: no space left on device")
	}
}
