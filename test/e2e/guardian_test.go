package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// backWithin is the time in which what another put back is back: a guardian, a deputy, a service.
var backWithin = devtest.Bound(time.Second)

// An ebb that is killed leaves the machine as it found it, without ebb restore.
func TestGuardianAfterKill(t *testing.T) {
	nothingLeft(t)
	moments(t, func(t *testing.T, g *guarded) time.Duration {
		start := time.Now()
		if err := g.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		took := g.back(start, backWithin)
		until(t, "the run directory is gone", g.gone)
		until(t, "the guardian and its deputy have ended",
			func() bool { return len(sentries(t, g.cmd.Process.Pid)) == 0 })
		return took
	})
}

// An ebb that stands still has its frequencies put back, sets none when it comes to, and says so.
func TestGuardianAfterStop(t *testing.T) {
	besideOthers(t)
	moments(t, func(t *testing.T, g *guarded) time.Duration {
		start := time.Now()
		if err := g.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		took := g.back(start, backWithin)
		if _, err := os.Stat(filepath.Join(g.runDir, "snapshot.json")); err != nil {
			t.Errorf("the snapshot of a living ebb: %v", err)
		}
		if err := g.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		// Some decisions later nothing has been written; then the run ends.
		time.Sleep(100 * time.Millisecond)
		g.back(time.Now(), 0)
		if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = g.cmd.Wait() // as the program, by the signal
		if g.back(time.Now(), 0); !g.gone() {
			t.Error("the run directory is still there")
		}
		said := read(t, g.stderr)
		if r := readReport(t, g.report); r.StalledNS <= 0 ||
			!strings.Contains(said, "ebb did nothing for") {
			t.Errorf("a stall of %d ns in the report, and\n%s", r.StalledNS, said)
		}
		return took
	})
}

// The OOM killer takes ebb, and not its guardian.
func TestGuardianAfterOOM(t *testing.T) {
	besideOthers(t)
	group := memoryGroup(t)
	moments(t, func(t *testing.T, g *guarded) time.Duration {
		pid := g.cmd.Process.Pid
		// it first, whatever else the group has in it
		write(t, fmt.Sprintf("/proc/%d/oom_score_adj", pid), "1000")
		write(t, filepath.Join(group, "cgroup.procs"), strconv.Itoa(pid))
		for _, id := range sentries(t, pid) {
			write(t, filepath.Join(group, "cgroup.procs"), strconv.Itoa(id))
		}
		// Were it in no such group, it would end at half a GiB.
		hog := exec.Command("sh", "-c",
			`ulimit -v 524288 && echo $$ >"$0"/cgroup.procs && exec tail /dev/zero`, group)
		start := time.Now()
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		until(t, "the OOM killer has killed ebb", func() bool {
			if alive(pid) {
				start = time.Now()
				return false
			}
			return true
		})
		_ = hog.Wait() // it is killed next
		if status, ok := wait(t, g.cmd).Sys().(syscall.WaitStatus); !ok ||
			status.Signal() != syscall.SIGKILL {
			t.Errorf("ebb ended with %v\n%s", g.cmd.ProcessState, read(t, g.stderr))
		}
		took := g.back(start, backWithin)
		until(t, "the run directory is gone", g.gone)
		return took
	})
}

func wait(t *testing.T, cmd *exec.Cmd) *os.ProcessState {
	t.Helper()
	_ = cmd.Wait() // the state has the error
	return cmd.ProcessState
}

// memoryGroup makes a memory cgroup with room for ebb and not for much more, of version 1 or 2. It
// skips where there is none.
func memoryGroup(t *testing.T) string {
	t.Helper()
	needRoot(t)
	const room = 96 << 20
	for _, at := range []struct{ root, limit string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, {"/sys/fs/cgroup", "memory.max"},
	} {
		group, err := os.MkdirTemp(at.root, "ebb-e2e-")
		if err != nil {
			continue
		}
		// The kernel makes the file in a cgroup. Where the hierarchies' parent is a tmpfs there is
		// none.
		f, err := os.OpenFile(filepath.Join(group, at.limit), os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(strconv.Itoa(room))
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			os.Remove(group)
			continue
		}
		t.Cleanup(func() {
			until(t, "the cgroup is empty", func() bool { return os.Remove(group) == nil })
		})
		return group
	}
	t.Skip("no memory cgroup can be made here")
	return ""
}

// A guardian that is killed is replaced; after a second one ebb gives the frequencies up.
func TestGuardianKilled(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	g := takeHold(t, workload(t, "contend", "2", "600")...)
	pid := g.cmd.Process.Pid
	first := guardians(t, pid)
	if len(first) != 1 {
		t.Fatalf("guardians %v", first)
	}
	if err := syscall.Kill(first[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var second []int
	until(t, "there is another guardian", func() bool {
		second = guardians(t, pid)
		return len(second) == 1 && second[0] != first[0]
	})
	if got := g.controls()["scaling_governor"]; got != "userspace" {
		t.Errorf("with a second guardian the governor is %q", got)
	}
	// The second one watches as well. Its death leaves ebb without one.
	until(t, "the guardian stands by", func() bool { return ignores(second[0], syscall.SIGTERM) })
	if err := syscall.Kill(second[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	g.back(time.Now(), backWithin)
	// ebb finds it out when it decides next.
	before := used(t, pid)
	until(t, "ebb goes on", func() bool { return used(t, pid) >= before+30*time.Millisecond })
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = g.cmd.Wait() // as the program, by the signal
	if said := read(t, g.stderr); !strings.Contains(said, "guardian") ||
		!strings.Contains(said, "none was set from then on") {
		t.Errorf("said:\n%s", said)
	}
	if !g.gone() {
		t.Error("the run directory is still there")
	}
}

// ignores says whether a process ignores a signal, which a guardian does before it stands by.
func ignores(pid int, sig syscall.Signal) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), "SigIgn:")
	var mask uint64
	if _, err := fmt.Sscanf(rest, "%x", &mask); err != nil {
		return false
	}
	return mask&(1<<(sig-1)) != 0
}

// Killed with its guardian and the deputy, ebb leaves the snapshot for ebb restore.
func TestRestoreAfterBothWereKilled(t *testing.T) {
	besideOthers(t)
	needRoot(t)
	g := takeHold(t, workload(t, "contend", "2", "600")...)
	pid := g.cmd.Process.Pid
	// Stopped first, so that none sees another's end.
	pids := append(sentries(t, pid), pid)
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, id := range pids {
			if err := syscall.Kill(id, sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = g.cmd.Wait() // it was killed
	if got := g.controls()["scaling_governor"]; got != "userspace" {
		t.Errorf("nobody was there to put it back, and the governor is %q", got)
	}
	if r := ebb(t, "restore", "--sysfs", g.tree, "--run-dir", g.runDir); r.code != 0 ||
		!strings.Contains(r.stdout, "1 control restored") {
		t.Errorf("restore: %+v", r)
	}
	g.back(time.Now(), 0)
}

// The guardian and its deputy hold nothing of ebb's standard streams, and sleep when the program
// does.
func TestGuardianIsQuiet(t *testing.T) {
	needRoot(t)
	g := takeHold(t, "sleep", "600")
	found := sentries(t, g.cmd.Process.Pid)
	if len(found) != 2 {
		t.Fatalf("a guardian and a deputy are %v", found)
	}
	woken := func() int64 {
		return switches(t, found[0]) + switches(t, found[1]) + switches(t, g.cmd.Process.Pid)
	}
	for _, pid := range found {
		links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		if err != nil || len(links) == 0 {
			t.Fatalf("its descriptors: %v, %v", links, err)
		}
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil && to == g.stderr {
				t.Errorf("descriptor %s is ebb's standard error", filepath.Base(link))
			}
		}
	}
	// Go's own threads look around now and then, about once a minute: one quiet second of three is
	// enough.
	const windows = 3
	for try := range windows {
		before := woken()
		time.Sleep(time.Second)
		woken := woken() - before
		if woken == 0 {
			break
		}
		if try == windows-1 {
			t.Errorf(
				"while the program slept, ebb and its guardian woke %d times in the last second",
				woken,
			)
		}
	}
}

// switches is the number of times that a process's threads have gone to sleep.
func switches(t *testing.T, pid int) (n int64) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("process %d has ended: %v", pid, err)
	}
	for _, file := range files {
		_, rest, _ := strings.Cut(read(t, file), "\nvoluntary_ctxt_switches:")
		rest, _, _ = strings.Cut(rest, "\n")
		n += atoi(t, strings.TrimSpace(rest))
	}
	return n
}
