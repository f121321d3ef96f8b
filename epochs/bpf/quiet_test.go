package bpf

import (
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// tail has one CPU's records in a period after its window has ended: when its first record was
// written, and the second, and whether the first has a thread begin.
type tail struct {
	first, second units.Instant
	begins        bool
}

// takes reports whether an event has a place in the tail. The next timer or switch closes the slice
// that runs at a window's end; and a switch that began in the window may have its time after it,
// and the slice that it begins is closed as well. The delay depends on the machine, which may be
// virtual and descheduled. The number of records does not.
func (t *tail) takes(ev *epochs.Event) bool {
	switch {
	case t.first == 0 || t.first == ev.At:
		t.first = ev.At
		t.begins = t.begins || ev.Kind == epochs.On
		return true
	case t.second == 0 || t.second == ev.At:
		t.second = ev.At
		return t.begins && ev.Kind != epochs.On
	}
	return false
}

// TestHoldOffTracesWindowsOnly: with a hold-off, events lie in the windows.
func TestHoldOffTracesWindowsOnly(t *testing.T) {
	const quantum, holdOff = 10 * time.Millisecond, 5
	tr := openTracer(t, Config{Quantum: quantum, HoldOff: holdOff})
	type place struct {
		cpu    int16
		period int64
	}
	windows := map[int64]int{}
	tails := map[place]*tail{}
	seen, outside, prompt := 0, 0, 0
	last := map[epochs.TID]*epochs.Event{}
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.On, epochs.Off, epochs.Slice:
		default:
			return
		}
		period := int64(quantum * holdOff)
		number, in := int64(ev.At)/period, int64(ev.At)%period
		if in >= int64(quantum) {
			l := tails[place{ev.CPU, number}]
			if l == nil {
				l = &tail{}
				tails[place{ev.CPU, number}] = l
				if in < int64(quantum+quantum/10) {
					prompt++
				}
			}
			if !l.takes(ev) {
				outside++
				t.Logf("%d ns into its period: %+v", in, *ev)
			}
		}
		windows[number]++
		if ev.Kind == epochs.On && ev.Cause == epochs.Seen {
			seen++
		}
		if ev.Kind == epochs.Off {
			if l := last[ev.Thread]; l == nil || l.Kind == epochs.Off {
				outside++
				t.Logf("off without on: %+v after %+v", *ev, l)
			}
		}
		copied := *ev
		last[ev.Thread] = &copied
	})
	cmd := exec.Command(compile(t, "../../test/workloads/c/prodcons.c"), "2", "500000")
	start := time.Now()
	launch(t, tr, cmd)
	took := time.Since(start)
	r.finish(t)
	// In some windows the target may get no CPU.
	most := int(took/(quantum*holdOff)) + 2
	if outside != 0 || len(windows) < 3 || len(windows) > most || seen == 0 {
		t.Errorf("%d events out of place, %d windows in %s (at most %d), %d threads seen running",
			outside, len(windows), took, most, seen)
	}
	// The timer is set for the end of the window. At most of them the CPU may be away.
	if 5*prompt < len(tails) {
		t.Errorf("%d of %d CPUs' windows were closed within a millisecond", prompt, len(tails))
	}
	var run, kernelRun time.Duration
	for _, th := range mustThreads(t, tr, 0) {
		run += th.Run
		kernelRun += th.KernelRun
	}
	if share := float64(run) / float64(kernelRun); share < 0.02 || share > 0.5 {
		t.Errorf("%s of %s were traced, which is %.2f and not about a fifth", run, kernelRun, share)
	}
	if d := tr.Drops(); d.RingFull+d.NoStorage+d.TimerStart+d.TimerMoved != 0 {
		t.Errorf("dropped %+v", d)
	}
}

// TestIdleTargetWakesNobody: a target that sleeps causes no record and no bell.
func TestIdleTargetWakesNobody(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	events := 0
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind != epochs.Tick {
			events++
		}
	})
	cmd := exec.Command("sleep", "100")
	if err := tr.Launch(func() (int, error) { return 0, cmd.Start() }); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	bells, written := tr.shared.bellCount(), tr.ring.End()
	time.Sleep(time.Second)
	if b, w := tr.shared.bellCount(), tr.ring.End(); b != bells || w != written {
		t.Errorf("an idle target rang %d bells and wrote %d bytes", b-bells, w-written)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	r.finish(t)
	if events == 0 {
		t.Error("no events at all")
	}
}
