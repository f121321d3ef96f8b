package counts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

func opened(t testing.TB, buckets int) *Counter {
	t.Helper()
	c, err := open(-1, buckets, 0, nil)
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// TestEveryNanosecond: the parts of each CPU add up to the time that went by, whatever ran.
func TestEveryNanosecond(t *testing.T) {
	c := opened(t, bucketsOfCPU)
	first, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	begin := first.At
	var sums []time.Duration
	// A reading takes time, in which CPUs go on: that is what the first and the last window can be
	// off by, however many are between them.
	for range 200 {
		busy(20 * time.Millisecond)
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Idle {
			if len(sums) <= i {
				sums = append(sums, 0)
			}
			sums[i] += r.Idle[i] + r.Kernel[i] + r.Full[i]
		}
		for _, part := range r.Parts {
			sums[part.CPU] += part.Time
		}
		if whole := r.At.Sub(begin); whole > 100*time.Millisecond && addUp(sums, whole) {
			return
		}
	}
	t.Errorf("after 4 s the CPUs' parts are %v", sums)
}

// addUp reports whether each CPU's sum is the whole time within 5 %; 0 of one that is offline.
func addUp(sums []time.Duration, whole time.Duration) bool {
	for _, sum := range sums {
		if sum > 0 && (sum-whole).Abs() > whole/20 {
			return false
		}
	}
	return true
}

// busy keeps a CPU busy for some CPU time.
func busy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

// cgroupOf makes a cgroup of version 2.
func cgroupOf(t testing.TB, name string) (dir string, id uint64) {
	t.Helper()
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
			continue
		}
		dir = filepath.Join(root, fmt.Sprintf("ebb-counts-%d-%s", os.Getpid(), name))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.Remove(dir) })
		return dir, inode(t, dir)
	}
	t.Skip("no hierarchy of version 2")
	return "", 0
}

// spin runs a program in a cgroup that uses some CPU time. Until its first switch in there its time
// counts for the cgroup that it came from, so it sleeps first.
func spin(t testing.TB, dir string, rounds int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", fmt.Sprintf(
		"echo $$ > %s/cgroup.procs && sleep 0.01; "+
			"i=0; while [ $i -lt %d ]; do i=$((i+1)); done", dir, rounds))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestCgroupsTime: a cgroup's time is the kernel's own account of what ran in it.
func TestCgroupsTime(t *testing.T) {
	c := opened(t, bucketsOfCPU)
	dir, id := cgroupOf(t, "time")
	before := taken(t)
	spin(t, dir, 500_000)
	r, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	group, err := cgroup.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	used, known := group.CPUTime()
	if !known {
		t.Fatal("the kernel says nothing of the cgroup's time")
	}
	got, _ := r.of(id)
	// A switch's own time is in one account, and the time from the shell's way into the cgroup to
	// its first switch there, in which it makes a process. Ours also has the time that interrupts
	// and the host took.
	others, off := taken(t)-before, got-used
	if off > 0 {
		off = max(off-others, 0)
	}
	if off.Abs() > used/20+30*time.Millisecond {
		t.Errorf("%v in cgroup %d, %v by the kernel, and %v taken from all; %v without an entry, "+
			"%v of kernel threads, %v idle; all: %v", got, id, used, others, r.Full, r.Kernel,
			r.Idle, r.Parts)
	}
}

// taken is the time that interrupts and, of a virtual machine, the host have taken from threads so
// far (proc(5), /proc/stat).
func taken(t testing.TB) (sum time.Duration) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	const tick = 10 * time.Millisecond
	if f := strings.Fields(string(text)); len(f) > 8 && f[0] == "cpu" {
		for _, ticks := range f[6:9] { // irq, softirq, steal
			n, _ := strconv.Atoi(ticks)
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// each runs a test with a counter of time, and with one of time and work.
func each(t *testing.T, buckets int, test func(t *testing.T, c *Counter, work bool)) {
	t.Run("time", func(t *testing.T) { test(t, opened(t, buckets), false) })
	t.Run("time and work", func(t *testing.T) { test(t, working(t, buckets, 0), true) })
}

// TestFullMap: what finds no entry is counted apart, and nothing is lost. Its work stands beside
// its time, apart from that of kernel threads.
func TestFullMap(t *testing.T) {
	each(t, 1, func(t *testing.T, c *Counter, work bool) {
		var dirs []string
		for i := range places * (c.cpus + 1) {
			dir, _ := cgroupOf(t, fmt.Sprintf("full%d", i))
			dirs = append(dirs, dir)
		}
		for _, dir := range dirs {
			spin(t, dir, 100_000)
		}
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		if full := summed(r.Full); full < 10*time.Millisecond || r.Refused == 0 ||
			len(r.Parts) > places*c.cpus {
			t.Errorf("%v and %d refused, %d entries", full, r.Refused, len(r.Parts))
		}
		if work {
			alike(t, "cgroups without an entry", r.Full, r.FullWork)
			alike(t, "kernel threads", r.Kernel, r.KernelWork)
		}
	})
}

// of is a cgroup's time and work on all CPUs.
func (r *Reading) of(id uint64) (all time.Duration, work Work) {
	for _, part := range r.Parts {
		if part.ID == id {
			all, work = all+part.Time, work.plus(part.Work)
		}
	}
	return all, work
}

// summed is the time of all CPUs.
func summed(times []time.Duration) (all time.Duration) {
	for _, d := range times {
		all += d
	}
	return all
}

// TestForget: the entry of a cgroup that is gone is free again, and its time has been counted, and
// its work.
func TestForget(t *testing.T) {
	each(t, bucketsOfCPU, func(t *testing.T, c *Counter, work bool) {
		dir, id := cgroupOf(t, "gone")
		spin(t, dir, 300_000)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		// Its last thread may still be on a CPU.
		for end := time.Now().Add(devtest.Hung); !c.Forget(id) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		r, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		if summed(r.Full) == 0 {
			t.Error("the time of a cgroup that was removed is lost")
		}
		if d, _ := r.of(id); d > 0 {
			t.Errorf("it still has %v", d)
		}
		if work {
			alike(t, "a removed cgroup", r.Full, r.FullWork)
		}
	})
}

// working is a counter of cgroups with counters that every machine has, one of which counts time.
func working(t *testing.T, buckets, hidden int) *Counter {
	t.Helper()
	names := []string{"cpu_clock", "tsc"}
	events, err := hpc.ByName(names)
	if err != nil {
		t.Fatal(err)
	}
	count, err := ebpf.PossibleCPU()
	if err != nil {
		t.Fatal(err)
	}
	var cpus []int
	for cpu := range count {
		cpus = append(cpus, cpu)
	}
	set, err := perfevent.Open(
		hpc.Set{Counters: names, By: []hpc.PMUEvents{{Events: events}}}, cpus)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { set.Close() })
	c, err := open(-1, buckets, hidden, set.FDs())
	if errors.Is(err, ErrPermission) || errors.Is(err, ErrNotSupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// alike compares a time with the work that was counted in it.
func alike(t *testing.T, what string, times []time.Duration, of []Work) {
	t.Helper()
	all := summed(times)
	var work Work
	for cpu := range of {
		work = work.plus(of[cpu])
	}
	if d := time.Duration(work.Cycles); (d - all).Abs() > all/20+10*time.Millisecond {
		t.Errorf("%s: %v by the counter, %v by the clock", what, d, all)
	}
}

// TestWork: a counter that counts the time says for a cgroup what its time is, also of a stretch
// that goes on while it is read.
func TestWork(t *testing.T) {
	c := working(t, bucketsOfCPU, 0)
	dir, id := cgroupOf(t, "work")
	spin(t, dir, 500_000)
	r, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	var all, idle time.Duration
	var work Work
	add := func(times []time.Duration, of []Work) {
		for cpu := range times {
			all += times[cpu]
			work.Cycles += of[cpu].Cycles
			work.Instructions += of[cpu].Instructions
		}
	}
	all, work = r.of(id)
	for _, d := range r.Idle {
		idle += d
	}
	if d := time.Duration(work.Cycles); all < 10*time.Millisecond ||
		(d-all).Abs() > all/20+10*time.Millisecond || work.Instructions == 0 {
		t.Errorf("%v by its counter, %v by the clock; %d of the other", d, all, work.Instructions)
	}
	all, work = 0, Work{}
	for _, part := range r.Parts {
		all, work = all+part.Time, work.plus(part.Work)
	}
	add(r.Kernel, r.KernelWork)
	add(r.Full, r.FullWork)
	if d := time.Duration(work.Cycles); (d - all).Abs() > all/20+10*time.Millisecond {
		t.Errorf("all cgroups: %v by their counter, %v by the clock; %v idle", d, all, idle)
	}
}
