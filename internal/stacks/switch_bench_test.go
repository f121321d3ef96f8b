package stacks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// BenchmarkSampledSwitch reports what a switch costs a program in CPU time, by whose the events are
// that sample it: nobody's, as nothing is sampled; inherited ones of its threads, which lose
// periods; the CPUs'; the cgroup's. Two threads hand a turn to each other on one CPU. The ways take
// turns, each round in another order; the figures are medians, and those of the differences from
// the inherited events within a round, with the half of all rounds around them. Use -benchtime=1x.
func BenchmarkSampledSwitch(b *testing.B) {
	const rounds, turns = 21, 150_000
	if os.Geteuid() != 0 {
		b.Skip("needs root: loads BPF programs")
	}
	program := filepath.Join(b.TempDir(), "pingpong")
	if out, err := exec.Command("gcc", "-O2", "-pthread", "-o", program,
		"../../test/workloads/c/pingpong.c").CombinedOutput(); err != nil {
		b.Skipf("needs gcc: %v: %s", err, out)
	}
	ways := []string{"none", "threads", "cpus", "cgroup"}
	took := map[string][]float64{}
	for round := range rounds {
		for i := range ways {
			way := ways[(i+round)%len(ways)]
			took[way] = append(took[way], switching(b, program, way, turns))
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, way := range ways {
		more := make([]float64, rounds)
		for i := range more {
			more[i] = took[way][i] - took["threads"][i]
		}
		slices.Sort(more)
		b.Logf("%-8s %.0f ns a switch; beside inherited events %+.0f ns (%+.0f to %+.0f)", way,
			middle(took[way]), middle(more), more[rounds/4], more[rounds-1-rounds/4])
		b.ReportMetric(middle(took[way]), way+"-ns/switch")
	}
}

// middle is the median.
func middle(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}

// switching runs the program, sampled in one of the ways, and returns its CPU time by switch in ns.
func switching(b *testing.B, program, way string, turns int) float64 {
	b.Helper()
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		b.Skip(err)
	}
	defer tracer.Close()
	sampler, err := Open(tracer.Followed(), nil, DefaultRate)
	if err != nil {
		b.Fatal(err)
	}
	defer sampler.Close()
	runtime.LockOSThread() // its event is the program's
	defer runtime.UnlockOSThread()
	cmd := exec.Command("taskset", "-c", devtest.CPUList(), program, fmt.Sprint(turns))
	dir := devtest.Cgroup(b)
	defer devtest.RemoveCgroup(b, dir)
	defer devtest.InCgroup(b, dir, cmd)()
	err = tracer.Launch(func() (int, error) {
		if err := sampleBy(sampler, way, dir); err != nil {
			return 0, err
		}
		return 0, cmd.Start()
	})
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		tracer.Wake()
	}()
	events := make([]epochs.Event, 8192)
	for len(ended) == 0 {
		if _, err := tracer.Next(events); err != nil {
			b.Fatal(err)
		}
		if err := sampler.Drain(func(*Sample) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(used) / float64(2*turns)
}

// sampleBy attaches a sampler. Threads are those that the calling one creates.
func sampleBy(s *Sampler, way, dir string) error {
	switch way {
	case "threads":
		attr := unix.PerfEventAttr{
			Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_TASK_CLOCK,
			Size:   uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
			Sample: uint64(s.period), Bits: unix.PerfBitDisabled | unix.PerfBitInherit,
		}
		fd, err := unix.PerfEventOpen(&attr, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return err
		}
		return s.enable(fd, "sample the program's threads")
	case "cpus":
		return s.AttachCPUs()
	case "cgroup":
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		defer f.Close()
		return s.AttachCgroup(int(f.Fd()))
	}
	return nil
}
