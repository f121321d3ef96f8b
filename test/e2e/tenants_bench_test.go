package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/devtest"
)

const (
	// benchThreads is the number of threads that switch, two in each process, and benchTurns that
	// of their turns.
	benchThreads, benchTurns = 1000, "300"
	// benchIdle is the time in which all tenants sleep.
	benchIdle = 5 * time.Second
)

// BenchmarkTenants has 1,000 threads switch as fast as they can, in one cgroup that is the target,
// or in those of 1, 10 and 100 tenants, in turn. The time of a switch is that of the program at it,
// by the kernel's account. Before, all tenants sleep.
func BenchmarkTenants(b *testing.B) {
	needRoot(b)
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Skip(err)
	}
	defer stats.Close()
	pingpong := workload(b, "pingpong", benchTurns)
	top := devtest.Cgroup(b)
	var dirs []string
	for i := range 100 {
		dir := devtest.ChildCgroup(b, top, fmt.Sprint("t", i))
		sleeps := exec.Command("sleep", "10000")
		entered := devtest.InCgroup(b, dir, sleeps)
		if err := sleeps.Start(); err != nil {
			b.Fatal(err)
		}
		entered()
		b.Cleanup(func() { kill(sleeps) })
		dirs = append(dirs, dir)
	}
	found := map[string]map[string][]float64{}
	ways := []int{0, 1, 10, 100}
	for b.Loop() {
		for range runs {
			for _, n := range ways {
				name := map[bool]string{true: "cgroup", false: fmt.Sprint(n)}[n == 0]
				if found[name] == nil {
					found[name] = map[string][]float64{}
				}
				for what, v := range tenantsBench(b, top, dirs, n, pingpong) {
					found[name][what] = append(found[name][what], v)
				}
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, of := range found {
		for what, v := range of {
			b.Logf("%s, %s: %.4g", what, name, v)
			b.ReportMetric(median(v), what+"-"+name)
		}
	}
}

// tenantsBench is one run with n tenants, or one with --cgroup.
func tenantsBench(b *testing.B, top string, dirs []string, n int, pingpong []string,
) map[string]float64 {
	b.Helper()
	path := filepath.Join(b.TempDir(), "r.json")
	args := []string{"run", "--report", path, "--live", "none"}
	if n == 0 {
		n = 1
		args = append(args, "--cgroup", top)
	} else {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "[tenant.t%d]\ncgroup = %q\nslowdown = \"5%%\"\n", i, dirs[i])
		}
		args = append(args, "--tenants", tenantsFile(b, text.String()))
	}
	ebb := exec.Command(ebbPath(b), args...)
	_, ended := following(b, ebb)
	asleep := useOf(b, ebb.Process.Pid)
	time.Sleep(benchIdle)
	awake := useOf(b, ebb.Process.Pid)
	before, begun := switchPrograms(b, ebb.Process.Pid), time.Now()
	var running []*exec.Cmd
	for i := range benchThreads / 2 {
		cmd := exec.Command(pingpong[0], pingpong[1:]...)
		entered := devtest.InCgroup(b, dirs[i%n], cmd)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		entered()
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(begun)
	after := switchPrograms(b, ebb.Process.Pid)
	if err := ebb.Process.Signal(unix.SIGINT); err != nil {
		b.Fatal(err)
	}
	ended()
	r := readReport(b, path)
	var switches float64
	for _, t := range r.Threads {
		switches += float64(t.Switches)
	}
	return map[string]float64{
		"ns/switch":    float64(after.ran-before.ran) / float64(after.times-before.times),
		"switches/s":   switches / took.Seconds(),
		"lost-records": float64(*r.LostRecords),
		"threads":      float64(len(r.Threads)),
		"own-MiB":      float64(r.OwnRSSBytes) / (1 << 20),
		"idle-cpu-%":   100 * (awake.cpu - asleep.cpu).Seconds() / benchIdle.Seconds(),
		"idle-wakes/s": float64(awake.wakes-asleep.wakes) / benchIdle.Seconds(),
	}
}

// programTimes are the runs of the programs at a switch, and their time.
type programTimes struct{ ran, times int64 }

// switchPrograms are those that a process has open.
func switchPrograms(b *testing.B, pid int) (all programTimes) {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil {
		b.Fatal(err)
	}
	seen := map[ebpf.ProgramID]bool{}
	for _, file := range files {
		text, _ := os.ReadFile(file) // one that was closed meanwhile has none
		for line := range strings.Lines(string(text)) {
			var id ebpf.ProgramID
			if n, _ := fmt.Sscanf(line, "prog_id: %d", &id); n != 1 || seen[id] {
				continue
			}
			seen[id] = true
			p, err := ebpf.NewProgramFromID(id)
			if err != nil {
				b.Fatal(err)
			}
			info, err := p.Info()
			if err != nil {
				b.Fatal(err)
			}
			if s, err := p.Stats(); err == nil && strings.HasPrefix(info.Name, "on_switch") {
				all.ran, all.times = all.ran+int64(s.Runtime), all.times+int64(s.RunCount)
			}
			p.Close()
		}
	}
	return all
}
