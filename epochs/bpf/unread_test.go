package bpf

import (
	"os/exec"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs"
)

// TestUnreadCounterIsNotCaughtUpOn: a counter that could not be read for a while counts nothing in
// the slices around that time: its counts of that time belong to no slice.
func TestUnreadCounterIsNotCaughtUpOn(t *testing.T) {
	s := openStandins(t, len(standinNames))
	const clock = 3 // cpu_clock in standinNames
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, Counters: s.FDs()})
	var slices, silent int
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind != epochs.Off && ev.Kind != epochs.Slice {
			return
		}
		slices++
		length := time.Duration(ev.At - ev.From)
		counted := time.Duration(ev.Counters[clock])
		if counted == 0 {
			silent++
		}
		if counted > length+time.Millisecond {
			t.Errorf("a slice of %s counts %s", length, counted)
		}
	})
	// takes longer than all gaps on a busy machine
	spin := compile(t, "../../test/workloads/c/spin.c")
	var gaps sync.WaitGroup
	gaps.Go(func() {
		// Five, and on where the program had no CPU in any of them.
		for i := 0; i < 5 || i < 50 && tr.Drops().CounterRead == 0; i++ {
			time.Sleep(30 * time.Millisecond)
			for cpu := range s.FDs() {
				if err := tr.objects.Counter3.Delete(uint32(cpu)); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(30 * time.Millisecond)
			if err := tr.putCounters(s.FDs()); err != nil {
				t.Error(err)
			}
		}
	})
	launch(t, tr, exec.Command(spin, "500"))
	gaps.Wait()
	r.finish(t)
	if d := tr.Drops(); silent == 0 || silent == slices || d.CounterRead == 0 {
		t.Errorf("%d of %d slices without a count, dropped %+v", silent, slices, d)
	}
}

// TestStandingCounterIsNoted: a counter that can be read and stands still, as one that is not
// pinned does after its CPU was offline, does not do so without a word.
func TestStandingCounterIsNoted(t *testing.T) {
	s := openStandins(t, len(standinNames))
	const clock = 3 // cpu_clock in standinNames
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, Counters: s.FDs()})
	for _, fds := range s.FDs() {
		if len(fds) > 0 {
			if err := unix.IoctlSetInt(fds[clock], unix.PERF_EVENT_IOC_DISABLE, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices := 0
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind == epochs.Off || ev.Kind == epochs.Slice {
			slices++
		}
	})
	launch(t, tr, exec.Command(compile(t, "../../test/workloads/c/spin.c"), "20"))
	r.finish(t)
	if d := tr.Drops(); d.CounterStopped == 0 || slices == 0 {
		t.Errorf("dropped %+v in %d slices", d, slices)
	}
}
