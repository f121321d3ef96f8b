package vm

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/machine"
)

// machineFor is the time for which TestGroups goes on; tools/test-vm.sh hands it on.
var machineFor = flag.Duration("machine", 0, "`time` for which the machine's groups are followed")

// cgroups mounts the cgroups of version 2 for a test, and makes some. It returns their directories.
func cgroups(t *testing.T, names ...string) (dirs []string) {
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
	for _, name := range names {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := unix.Rmdir(dir); err != nil {
				t.Error(err)
			}
		})
		dirs = append(dirs, dir)
	}
	return dirs
}

// inGroup starts a command in a cgroup.
func inGroup(t *testing.T, dir string, c *exec.Cmd) *exec.Cmd {
	t.Helper()
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// followed is an ebb energy --machine that goes on, and its last line.
type followed struct {
	cmd  *exec.Cmd
	mu   sync.Mutex
	last machine.Report
	seen int
	done chan struct{}
}

// follow starts ebb energy --machine in a cgroup of its own. Each line's sums are right.
func follow(t *testing.T, dir string, every time.Duration) *followed {
	t.Helper()
	f := &followed{done: make(chan struct{}), cmd: exec.Command("/bin/ebb", "energy", "--machine",
		"--json", "--interval", every.String())}
	f.cmd.Stderr = os.Stderr
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	inGroup(t, dir, f.cmd)
	t.Cleanup(func() {
		_ = f.cmd.Process.Kill() // it may have ended
		<-f.done
	})
	go func() {
		defer close(f.done)
		lines := bufio.NewReader(out)
		for {
			text, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var r machine.Report
			if err := json.Unmarshal(text, &r); err != nil {
				t.Error(err)
				return
			}
			addsUp(t, &r)
			f.mu.Lock()
			f.last = r
			f.seen++
			f.mu.Unlock()
		}
	}()
	return f
}

// addsUp checks that the parts of each zone are what its meter counted, to the nJ.
func addsUp(t *testing.T, r *machine.Report) {
	t.Helper()
	for i, z := range r.Zones {
		groups := int64(0)
		for _, g := range r.Groups {
			groups += g.Energy[i].EnergyNJ
		}
		sum := z.AttributedNJ + z.OthersNJ + z.IdleNJ + z.UnattributedNJ
		if sum != z.MeasuredNJ || groups != z.AttributedNJ {
			t.Errorf("%s: %d nJ of %d, %d in rows of %d", z.Name, sum, z.MeasuredNJ, groups,
				z.AttributedNJ)
		}
	}
}

// line waits for so many more lines and returns the last one.
func (f *followed) line(t *testing.T, more int) machine.Report {
	t.Helper()
	f.mu.Lock()
	want := f.seen + more
	f.mu.Unlock()
	for start := time.Now(); time.Since(start) < patience; time.Sleep(20 * time.Millisecond) {
		f.mu.Lock()
		r, seen := f.last, f.seen
		f.mu.Unlock()
		if seen >= want {
			return r
		}
	}
	t.Fatal("ebb writes no lines")
	return machine.Report{}
}

// end ends it and returns its last line.
func (f *followed) end(t *testing.T) machine.Report {
	t.Helper()
	if err := f.cmd.Process.Signal(unix.SIGINT); err != nil {
		t.Error(err)
	}
	<-f.done
	if err := f.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return f.last
}

// grouped is what a group had in a zone, in J, and its CPU time in s.
func grouped(r *machine.Report, name string, zone int) (joules, seconds float64) {
	for _, g := range r.Groups {
		if g.Name == name {
			return float64(g.Energy[zone].EnergyNJ) / 1e9, float64(g.CPUNS) / 1e9
		}
	}
	return 0, 0
}

// wattsOf is what a load draws above the idle machine, in W by zone: the platform's truth.
func wattsOf(t *testing.T, l load, idle [2]float64) (watts [2]float64) {
	t.Helper()
	r := command(t, l.program(), l.args()...)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	u := usageOf(t, r.out)
	for z, joules := range [2]float64{u.package_, u.dram} {
		watts[z] = joules/u.time.Seconds() - idle[z]
	}
	return watts
}

// asleep is what the machine draws with nothing to do, in W by zone.
func asleep(t *testing.T) (watts [2]float64) {
	t.Helper()
	var before [2]float64
	start := time.Now()
	for i, file := range []string{"intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0",
		"intel-rapl:0:0"} {
		if i == 2 {
			time.Sleep(2 * time.Second)
		}
		var uj float64
		if _, err := fmt.Sscan(read(t, "/sys/class/powercap/"+file+"/energy_uj"), &uj); err != nil {
			t.Fatal(err)
		}
		if i < 2 {
			before[i] = uj
		} else {
			watts[i-2] = (uj - before[i-2]) / 1e6 / time.Since(start).Seconds()
		}
	}
	return watts
}

// TestGroups: two groups, of which one waits for memory, have the shares that the platform gives
// them within 5 %, where CPU time alone (Kepler's rule) gives each a half. All parts together are
// what the platform has integrated, and little is nobody's.
func TestGroups(t *testing.T) {
	names := []string{"memory.service", "compute.service", "ebb.service"}
	dirs := cgroups(t, names...)
	settle(t)
	keep(t, states(t)[0])
	kinds := []load{memoryBound, computeBound}
	idle := asleep(t)
	watts := [2][2]float64{wattsOf(t, kinds[0], idle), wattsOf(t, kinds[1], idle)}
	settle(t)
	meterAnew(t)
	const every = 250 * time.Millisecond
	f := follow(t, dirs[2], every)
	f.line(t, 6) // the machine sleeps: its idle power
	start := func(i int, l load) *exec.Cmd { return loadIn(t, dirs[i], l) }
	wait := func(cs ...*exec.Cmd) {
		for _, c := range cs {
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
		}
	}
	var got, cpu [2][2]float64 // by group and zone
	for begin := time.Now(); ; {
		for range 2 {
			for i := range kinds {
				wait(start(i, kinds[i])) // in mixtures that differ
			}
		}
		one, two := start(0, kinds[0].of(2*long)), start(1, kinds[1].of(2*long))
		before, after := f.line(t, 2), f.line(t, 20)
		wait(one, two)
		for i := range kinds {
			for z := range watts[i] {
				a, from := grouped(&before, names[i], z)
				b, to := grouped(&after, names[i], z)
				got[i][z] += b - a
				cpu[i][z] += to - from
			}
		}
		if time.Since(begin) >= *machineFor {
			break
		}
	}
	r := f.end(t)
	for z, zone := range []string{"package-0", "dram-0"} {
		all, whole := got[0][z]+got[1][z], watts[0][z]*cpu[0][z]+watts[1][z]*cpu[1][z]
		for i := range kinds {
			share, want := got[i][z]/all, watts[i][z]*cpu[i][z]/whole
			kepler := cpu[i][z] / (cpu[0][z] + cpu[1][z])
			text := fmt.Sprintf("%s, %s: %.1f %%, by the platform %.1f %%, by CPU time %.1f %%",
				zone, names[i], 100*share, 100*want, 100*kepler)
			t.Log(text)
			if math.Abs(share-want) > 0.05*want && (want > 0.05 || share > 0.05) {
				t.Error(text)
			}
		}
	}
	judgeParts(t, &r)
}

// judgeParts compares the zones with what the platform has integrated, and bounds what is nobody's
// beside a load of named groups.
func judgeParts(t *testing.T, r *machine.Report) {
	t.Helper()
	used := metered(t)
	for _, z := range r.Zones {
		measured := float64(z.MeasuredNJ) / 1e9
		others, lost := float64(z.OthersNJ)/1e9, float64(z.UnattributedNJ)/1e9
		t.Logf("groups: %s in %.0f s: measured %.6f J, used %.6f J; idle %.1f %%, others %.2f %%, "+
			"unattributed %.2f %%", z.Name, time.Duration(r.WallNS).Seconds(), measured,
			used[z.Name], 100*float64(z.IdleNJ)/1e9/measured, 100*others/measured,
			100*lost/measured)
		if math.Abs(measured-used[z.Name]) > 1.5e-6 {
			t.Errorf("%s: measured %.6f J, used %.6f J", z.Name, measured, used[z.Name])
		}
		if others > 0.02*measured || lost > 0.005*measured {
			t.Errorf("%s: %.3f J are others' and %.3f nobody's, of %.3f", z.Name, others, lost,
				measured)
		}
	}
}

// TestIdleWakeups: on a machine with nothing to do ebb's threads wake once or twice an interval.
// Beside them the second thread, which is Go's monitor, sleeps in short steps while they work.
func TestIdleWakeups(t *testing.T) {
	dirs := cgroups(t, "ebb.service")
	settle(t)
	const every, windows = time.Second, 20
	f := follow(t, dirs[0], every)
	f.line(t, 3)
	before, waits := wakeups(t, f.cmd.Process.Pid)
	f.line(t, windows)
	after, more := wakeups(t, f.cmd.Process.Pid)
	f.end(t)
	monitor := fmt.Sprint(f.cmd.Process.Pid + 1)
	own := after - before - (more[monitor] - waits[monitor])
	t.Logf("groups: %.2f wake-ups an interval, and %.2f with Go's monitor: %v, then %v",
		float64(own)/windows, float64(after-before)/windows, waits, more)
	if own > 2*windows || own < windows {
		t.Errorf("%d wake-ups in %d intervals", own, windows)
	}
}

// wakeups is the number of times that a process's threads have slept, in all and by thread.
func wakeups(t *testing.T, pid int) (all int, by map[string]int) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(files) == 0 {
		t.Fatal("no threads: ", err)
	}
	by = map[string]int{}
	for _, file := range files {
		for line := range strings.Lines(read(t, file)) {
			if n, ok := strings.CutPrefix(line, "voluntary_ctxt_switches:"); ok {
				var slept int
				if _, err := fmt.Sscan(n, &slept); err != nil {
					t.Fatal(err)
				}
				all += slept
				by[filepath.Base(filepath.Dir(file))] = slept
			}
		}
	}
	return all, by
}
