package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestKilledWhileGoverningAnAttachedProgram: whatever ends ebb, the program it was attached to goes
// on.
func TestKilledWhileGoverningAnAttachedProgram(t *testing.T) {
	needRoot(t)
	target := command(t) // replaced below: a session of its own, killed at the end
	contend := workload(t, "contend", "2", "175")
	target.Path, target.Args = contend[0], contend
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	pid := target.Process.Pid
	t.Cleanup(func() {
		_ = target.Process.Kill()
		_ = target.Wait()
	})
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			if sig == syscall.SIGINT {
				devtest.Long(t)
			}
			nothingLeft(t)
			for _, after := range killTimes(t, devtest.Cases(8, 1)) {
				dir := t.TempDir()
				cmd := command(t, "run", "--quiet", "--report", "r.json", "--pid", fmt.Sprint(pid))
				cmd.Dir = dir
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(after)
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				_ = cmd.Wait()
				if !alive(pid) || !running(t, pid) {
					t.Fatalf("%v after %v: the target does not run on", sig, after)
				}
				if hidden, _ := filepath.Glob(filepath.Join(dir, ".*")); len(hidden) > 0 {
					t.Errorf("%v after %v left %q", sig, after, hidden)
				}
				if sig == syscall.SIGKILL {
					onlyFiles(t, dir)
				}
			}
		})
	}
}

// TestAttachedRunEndsWithAReport: SIGINT ends a run that was attached, with its report and status
// 0.
func TestAttachedRunEndsWithAReport(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	target := command(t)
	contend := workload(t, "contend", "2", "175")
	target.Path, target.Args = contend[0], contend
	if err := target.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = target.Process.Kill()
		_ = target.Wait()
	})
	dir := t.TempDir()
	cmd := command(t, "run", "--report", "r.json", "--pid", pidString(target))
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for !holds(cmd.Process.Pid, "bpf_link") { // it traces
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(3 * time.Second)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("status: %v", err)
	}
	r := readReport(t, filepath.Join(dir, "r.json"))
	if r.Epochs == 0 || *r.LostRecords != 0 || len(r.Quanta) == 0 ||
		r.WallNS < int64(2*time.Second) {
		t.Errorf("epochs %d, lost %d, quanta %d, wall %v", r.Epochs, *r.LostRecords, len(r.Quanta),
			time.Duration(r.WallNS))
	}
	onlyFiles(t, dir, "r.json")
}

func pidString(cmd *exec.Cmd) string { return strconv.Itoa(cmd.Process.Pid) }
