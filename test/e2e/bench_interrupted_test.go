package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestBenchInterrupted: after SIGINT in the middle the machine is restored and the finished runs
// are kept; the same command continues.
func TestBenchInterrupted(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	b := layBench(t, benchTree)
	journal := filepath.Join(b.out, "journal.jsonl")
	flags := []string{"--runs", "2", "--slowdown", "5%", "--warm-up", "0"}
	cmd := command(t, b.args("0.05", flags...)...)
	stopped := begin(t, cmd)
	waitFor(t, "six runs", func() bool { return journalRuns(journal) >= 6 })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r := <-stopped
	if r.code != 128+int(syscall.SIGINT) || !strings.Contains(r.stdout, "1 round of 5 settings") ||
		!strings.Contains(r.stderr, "continues from there") {
		t.Errorf("status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	b.restored(t)
	before := journalRuns(journal)
	if before < 6 || before >= 10 {
		t.Fatalf("%d runs in the journal", before)
	}
	r = ebb(t, b.args("0.05", flags...)...)
	if r.code != 0 || !strings.Contains(r.stderr,
		fmt.Sprintf("%d of 10 runs are in the journal", before)) ||
		!strings.Contains(r.stdout, "2 rounds of 5 settings") {
		t.Errorf("gone on: status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	if journalRuns(journal) != 10 {
		t.Errorf("%d runs in the journal", journalRuns(journal))
	}
	b.restored(t)
}

// TestBenchInterruptedWhileEbbGoverns: the same during a run under ebb, which restores the machine
// itself.
func TestBenchInterruptedWhileEbbGoverns(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	b := layBench(t, benchTree)
	cmd := command(t, b.args("0.5", "--runs", "1", "--slowdown", "5%", "--warm-up", "0",
		"--frequencies", "4GHz")...)
	stopped := begin(t, cmd)
	governed := func() bool {
		return strings.HasPrefix(read(t, b.governor()), "userspace") &&
			slices.ContainsFunc(session(t, cmd.Process.Pid), func(pid int) bool {
				return strings.Contains(commandOfProcess(pid), "\x00run\x00--quiet")
			})
	}
	waitFor(t, "a run of ebb's", governed)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := <-stopped; r.code != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	b.restored(t)
	waitFor(t, "the end of all that it started", func() bool {
		return len(session(t, cmd.Process.Pid)) == 0
	})
}

// TestBenchKilled: after SIGKILL of ebb, its guardian and the deputy the snapshot is there; ebb
// restore puts the machine back, and so does going on.
func TestBenchKilled(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, restore := range []bool{true, false} {
		b := layBench(t, benchTree)
		flags := []string{"--runs", "1", "--slowdown", "5%", "--warm-up", "0"}
		cmd := command(t, b.args("5", flags...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Not before the program runs: ebb bench tries first whether frequencies can be set.
		waitFor(t, "a program at a frequency that is set", func() bool {
			return strings.HasPrefix(read(t, b.governor()), "userspace") &&
				slices.ContainsFunc(session(t, cmd.Process.Pid), b.runs)
		})
		guards := sentries(t, cmd.Process.Pid)
		for _, pid := range guards {
			_ = syscall.Kill(pid, syscall.SIGSTOP) // it puts nothing back
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		for _, pid := range guards {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range session(t, cmd.Process.Pid) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // what it had started lives on
		}
		if _, err := os.Stat(filepath.Join(b.runDir, "snapshot.json")); err != nil {
			t.Errorf("no snapshot: %v", err)
		}
		if restore {
			if r := ebb(t, "restore", "--sysfs", b.tree, "--run-dir", b.runDir); r.code != 0 ||
				!strings.Contains(r.stdout, "restored") {
				t.Errorf("restore: status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		} else {
			b.out = filepath.Join(t.TempDir(), "out") // the work is another now
			if r := ebb(t, b.args("0.01", flags...)...); r.code != 0 ||
				!strings.Contains(r.stdout, "as found (schedutil") {
				t.Errorf("afterwards: status %d\n%s%s", r.code, r.stdout, r.stderr)
			}
		}
		b.restored(t)
	}
}

// begin starts a prepared command; how it ends comes out of the channel.
func begin(t *testing.T, cmd *exec.Cmd) <-chan result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan result)
	go func() {
		_ = cmd.Wait() // how it ended is in its state
		stopped <- result{stdout: stdout.String(), stderr: stderr.String(),
			code: cmd.ProcessState.ExitCode()}
	}()
	return stopped
}

// commandOfProcess is its command line as the kernel has it; "" where it has none any more.
func commandOfProcess(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return string(line)
}

// runs reports whether a process is the stand-in, and not ebb on its way to become that.
func (b *benchBed) runs(pid int) bool {
	return strings.HasPrefix(commandOfProcess(pid), "/bin/sh\x00"+b.script)
}

// session are the living processes of a session.
func session(t *testing.T, id int) (pids []int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, stat := range processes {
		pid := int(atoi(t, filepath.Base(filepath.Dir(stat))))
		// Without an error: it may end meanwhile.
		if s, err := proc.ReadStat(pid); err == nil && !s.Ended() && s.Session == id {
			pids = append(pids, pid)
		}
	}
	return pids
}
