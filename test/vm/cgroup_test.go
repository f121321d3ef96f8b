package vm

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// ebb governs what is in a cgroup by the real controls: who is there, and who is moved there later.
func TestCgroup(t *testing.T) {
	const root, file = "/sys/fs/cgroup", "/tmp/cgroup.json"
	if err := unix.Mount("cgroup2", root, "cgroup2", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	}()
	dir := filepath.Join(root, "target")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Rmdir(dir); err != nil {
			t.Error(err)
		}
	}()
	started := func(where string, l load) *exec.Cmd {
		c := exec.Command("/bin/load", l.args()...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(where, "cgroup.procs"), strconv.Itoa(c.Process.Pid))
		return c
	}
	before := controls(t)
	first, outside := started(dir, computeBound.of(1000*long)), started(root,
		computeBound.of(1000*long))
	done := make(chan result, 1)
	go func() {
		done <- command(t, "/bin/ebb", "run", "--report", file, "--quantum", quantum, "--frequency",
			"2GHz", "--cgroup", "target")
	}()
	reach(t, len(ofPolicies(t, "scaling_setspeed")), "2000000")
	second := started(dir, computeBound.of(medium))
	if err := second.Wait(); err != nil {
		t.Error(err)
	}
	for _, c := range []*exec.Cmd{first, outside} {
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	r := <-done
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	same(t, controls(t), before)
	var rep struct {
		Actuator string
		Cgroup   string
		Threads  []struct{ PID int }
		Lost     int   `json:"lost_records"`
		WallNS   int64 `json:"wall_ns"`
	}
	if err := json.Unmarshal([]byte(read(t, file)), &rep); err != nil {
		t.Fatal(err)
	}
	pids := map[int]bool{}
	for _, th := range rep.Threads {
		pids[th.PID] = true
	}
	if rep.Actuator != "setspeed" || rep.Cgroup != "/target" || !pids[first.Process.Pid] ||
		!pids[second.Process.Pid] || len(pids) != 2 || rep.Lost != 0 {
		t.Errorf("%+v, want processes %d and %d; %s", rep, first.Process.Pid, second.Process.Pid,
			strings.TrimSpace(r.err))
	}
}
