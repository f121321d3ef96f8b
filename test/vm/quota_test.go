package vm

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// quotaGroup makes a cgroup of version 2 whose members may use half of a CPU.
func quotaGroup(t *testing.T) string {
	t.Helper()
	const root = "/sys/fs/cgroup"
	if err := unix.Mount("cgroup2", root, "cgroup2", 0, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(root, 0); err != nil {
			t.Error(err)
		}
	})
	write(t, root+"/cgroup.subtree_control", "+cpu")
	dir := root + "/quota"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Rmdir(dir); err != nil {
			t.Error(err)
		}
		write(t, root+"/cgroup.subtree_control", "-cpu")
	})
	write(t, dir+"/cpu.max", "50000 100000")
	return dir
}

// within runs a command in a cgroup.
func within(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	g, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	c := exec.Command(name, args...)
	c.SysProcAttr = &unix.SysProcAttr{UseCgroupFD: true, CgroupFD: int(g.Fd())}
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, errs.String())
	}
	return string(out)
}

// throttledTime is the time for which a cgroup was throttled, in s, by the kernel's account.
func throttledTime(t *testing.T, dir string) float64 {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join(dir, "cpu.stat"))) {
		if us, ok := strings.CutPrefix(line, "throttled_usec "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(us), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return float64(n) / 1e6
		}
	}
	t.Fatal("cpu.stat has no throttled_usec")
	return 0
}

// TestQuota: of a program with half of a CPU in a cgroup of version 2, the parts of its thread's
// time are those of the kernel's account, and the time predicted for half the clock is within 8 %
// of what it takes there.
func TestQuota(t *testing.T) {
	settle(t)
	dir := quotaGroup(t)
	l := computeBound.of(long / 2) // 1 s of CPU time at the highest frequency
	const file, table = "/tmp/quota.json", "/tmp/quota.csv"
	keep(t, 4000000)
	before, began := throttledTime(t, dir), time.Now()
	within(t, dir, "/bin/ebb", append([]string{"run", "--shadow", "--report", file, "--quantum",
		quantum, "--", "/bin/load"}, l.args()...)...)
	held, took := throttledTime(t, dir)-before, time.Since(began).Seconds()
	var rep struct {
		WallNS     float64 `json:"wall_ns"`
		ThreadTime struct {
			Running   float64 `json:"running_ns"`
			Runnable  float64 `json:"runnable_ns"`
			Throttled float64 `json:"throttled_ns"`
			Program   float64 `json:"wait_program_ns"`
			World     float64 `json:"wait_world_ns"`
		} `json:"thread_time"`
	}
	if err := json.Unmarshal([]byte(read(t, file)), &rep); err != nil {
		t.Fatal(err)
	}
	x := rep.ThreadTime
	t.Logf("%.3f s: running %.3f, runnable %.3f, throttled %.3f; by the kernel %.3f in %.3f s",
		rep.WallNS/1e9, x.Running/1e9, x.Runnable/1e9, x.Throttled/1e9, held, took)
	// ebb is in the cgroup as well. While it starts and ends, the program is not there: the
	// kernel's account has at most so much more.
	more := held - x.Throttled/1e9
	if more < -0.01 || more > took-rep.WallNS/1e9 || math.Abs(x.Throttled/x.Running-1) > 0.15 ||
		x.Runnable > 0.05*rep.WallNS || x.Program+x.World > 0.02*rep.WallNS {
		t.Errorf("%+v of %.3f s, throttled for %.3f s of %.3f by the kernel", x, rep.WallNS/1e9,
			held, took)
	}

	within(t, dir, "/bin/ebb", append([]string{"record", "--quiet", "--epochs", table, "--",
		"/bin/load"}, l.args()...)...)
	var predicted []struct {
		PredictedNS float64 `json:"predicted_ns"`
	}
	r := command(t, "/bin/ebb", "predict", "--json", "--model", "wake", "--to", "2GHz", table)
	if err := json.Unmarshal([]byte(r.out), &predicted); err != nil || len(predicted) != 1 {
		t.Fatalf("%v: %+v", err, r)
	}
	keep(t, 2000000)
	took = usageOf(t, within(t, dir, "/bin/load", l.args()...)).time.Seconds()
	off := predicted[0].PredictedNS/1e9/took - 1
	t.Logf("at half the clock %.3f s, %+.1f %% off", took, 100*off)
	if math.Abs(off) > 0.08 {
		t.Errorf("at half the clock it took %.3f s, the prediction is %+.1f %% off", took, 100*off)
	}
}
