package vm

import (
	"debug/elf"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/epochs/usdt"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// placeOf is where in its file a function of an executable is.
func placeOf(t *testing.T, f *elf.File, name string) uint64 {
	t.Helper()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range symbols {
		for _, p := range f.Progs {
			if s.Name == name && p.Type == elf.PT_LOAD && s.Value >= p.Vaddr &&
				s.Value < p.Vaddr+p.Filesz {
				return s.Value - p.Vaddr + p.Off
			}
		}
	}
	t.Fatal("no ", name)
	return 0
}

// TestPreempted: with one CPU and a kernel that preempts its own code, a reader with a real-time
// priority wakes while a program of the target's probes has a place in the ring and no record
// there. It does not keep the CPU from that thread. A reader that did would wait until the kernel
// throttles it, after 950 ms: it did so 18 times in 20 s.
func TestPreempted(t *testing.T) {
	line, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(line), "preempt=full") {
		t.Skip("the kernel was not started with preempt=full")
	}
	file, err := os.Open("/bin/probed")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	image, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	if err := tracer.FollowCollector(file, usdt.Collector{
		Begins: []uint64{placeOf(t, image, "probe_begin")},
		Ends:   []uint64{placeOf(t, image, "probe_end")}}, 0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/probed")
	if err := tracer.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	}()
	defer live.OneProcessor()()
	undo, err := live.Prioritise()
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	const stall = 500 * time.Millisecond
	buf := make([]epochs.Event, 8192)
	phases, ticks, stalls := 0, 0, 0
	var worst time.Duration
	for begin := monotonic.Now(); monotonic.Now().Sub(begin) < 20*time.Second; {
		n, err := tracer.Next(buf)
		if err != nil {
			t.Fatal(err)
		}
		now := monotonic.Now()
		for i := range buf[:n] {
			switch buf[i].Kind {
			case epochs.Phase:
				phases++
			case epochs.Tick:
				ticks++
				took := now.Sub(buf[i].At)
				if worst = max(worst, took); took > stall {
					stalls++
				}
			}
		}
	}
	t.Logf("%d readings of %d phases, the longest %v, %d longer than %v; dropped %+v", ticks,
		phases, worst, stalls, stall, tracer.Drops())
	if stalls > 0 || phases == 0 || ticks < 100 {
		t.Error("the reader waits for a thread that it keeps from running")
	}
}
