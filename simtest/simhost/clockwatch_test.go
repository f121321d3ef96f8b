package simhost_test

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
	"github.com/ebb-energy/ebb/units"
)

// heard has the governor's findings about its machine's clock, with the ends of the quanta, and the
// number of times that it insists.
type heard struct {
	actions []governor.Action
	at      []time.Duration
	insists int
	start   units.Instant
}

func (h *heard) Observe(ev *governor.Event, actions []governor.Action) {
	if ev.Kind == governor.Begin {
		h.start = ev.At
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case governor.Insist:
			h.insists++
		case governor.Unheeded, governor.Limited, governor.Heeded:
			h.actions, h.at = append(h.actions, *a), append(h.at,
				time.Duration(ev.Sched.At-h.start))
		}
	}
}

func (h *heard) kinds() (k []governor.ActionKind) {
	for _, a := range h.actions {
		k = append(k, a.Kind)
	}
	return k
}

// listen governs "phases" and returns the slowdown and the energy against the
// highest frequency on a machine with the same limits.
func listen(
	t *testing.T, f hardware.FaultPlan, change func(*governor.Config),
) (h *heard, slower, energy float64) {
	t.Helper()
	p, program := profile(t, "paper"), mustProgram(t, "phases")
	o := simtest.Options{Seed: 5,
		Counters: []string{"cycles", "instructions", "stall_lo_cycles", "occ_hi_cycles",
			"store_full_cycles", "store_rfo_cycles"}, Faults: f}
	h = &heard{}
	truth := govern(t, program, o, change, h).truth
	o.Faults.Ignore, o.Faults.Deaf = 0, nil
	top, err := simtest.Static(p, program, o, p.Highest())
	if err != nil {
		t.Fatal(err)
	}
	slower = truth.Wall.Seconds()/top.Wall.Seconds() - 1
	energy = float64(truth.Energy.Package())/float64(top.Energy.Package()) - 1
	t.Logf("slowdown %.2f %%, energy %+.2f %%; asked again %d times, found %v at %v", 100*slower,
		100*energy, h.insists, h.kinds(), h.at)
	return h, slower, energy
}

func mustProgram(t *testing.T, name string) simtest.Workload {
	t.Helper()
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func asDefault(*governor.Config) {}

const ms = time.Millisecond

// A machine whose clock obeys is believed.
func TestObedientMachineIsBelieved(t *testing.T) {
	if h, _, _ := listen(t, hardware.FaultPlan{Unreported: true}, asDefault); len(h.actions)+
		h.insists != 0 {
		t.Errorf("asked again %d times, found %v", h.insists, h.kinds())
	}
}

// Every second request does nothing. It is made again, and what was lost is paid back: otherwise
// the slowdown would be 10 % here.
func TestIgnoredRequestIsRepeatedAndPaidBack(t *testing.T) {
	h, slower, energy := listen(t, hardware.FaultPlan{Unreported: true, Ignore: 0.5}, asDefault)
	if h.insists == 0 || slower > 0.05 || energy > -0.05 {
		t.Errorf("asked again %d times, slowdown %.2f %%, energy %+.2f %%", h.insists, 100*slower,
			100*energy)
	}
}

// For 200 ms no request does anything, while the program computes at a frequency that was right for
// waiting. The governor finds out that nothing helps, and soon that requests do something again. It
// pays back what was lost before the last third.
func TestDeafMachineIsFoundOut(t *testing.T) {
	const from, to = 300 * ms, 500 * ms
	h, slower, _ := listen(t, hardware.FaultPlan{Unreported: true,
		Deaf: []hardware.Span{{From: from, To: to}}}, asDefault)
	if slower > 0.055 {
		t.Errorf("slowdown %.2f %%", 100*slower)
	}
	if k := h.kinds(); len(k) != 2 || k[0] != governor.Unheeded || k[1] != governor.Heeded {
		t.Fatalf("found %v", k)
	}
	if h.at[0] < from || h.at[0] > to || h.at[1] < to || h.at[1] > to+100*ms {
		t.Errorf("deafness found at %v, from %v; obedience found at %v, from %v",
			h.at[0], from, h.at[1], to)
	}
	if h.insists > 2+1+200/5/4 {
		t.Errorf("asked again %d times", h.insists)
	}
}

// With one fixed frequency, a deaf machine is asked again until it has it.
func TestDeafMachineIsAskedForAFixedFrequency(t *testing.T) {
	for _, f := range []units.Frequency{2e9, 4e9} {
		h, _, energy := listen(t, hardware.FaultPlan{Unreported: true,
			Deaf: []hardware.Span{{From: 0, To: 200 * ms}}},
			func(c *governor.Config) { c.Objective, c.Frequency = governor.Fixed, f })
		switch k := h.kinds(); {
		case f == 4e9 && len(k)+h.insists > 0: // it was there
			t.Errorf("asked again %d times, found %v", h.insists, k)
		case f == 2e9 && (len(k) != 2 || k[0] != governor.Unheeded || k[1] != governor.Heeded ||
			h.at[1] > 300*ms || energy > -0.2):
			t.Errorf("found %v at %v, energy %+.2f %%", k, h.at, 100*energy)
		}
	}
}

// Something limits the clock all the time, as power does that many busy cores share. The governor
// finds the limit and spends the budget against it: asking for more changes nothing.
func TestUnreportedLimitIsFound(t *testing.T) {
	const limit = 3e9
	capped := hardware.FaultPlan{Unreported: true,
		Caps: []hardware.Cap{{To: time.Hour, Max: limit}}}
	h, slower, energy := listen(t, capped, asDefault)
	if slower > 0.05 || energy > -0.05 {
		t.Errorf("slowdown %.2f %%, energy %+.2f %%", 100*slower, 100*energy)
	}
	if k := h.kinds(); len(k) != 1 || k[0] != governor.Limited ||
		math.Abs(float64(h.actions[0].Frequency)/limit-1) > 0.02 {
		t.Errorf("found %+v", h.actions)
	}
	if h.insists > 3 {
		t.Errorf("asked again %d times", h.insists)
	}
}

// A limit that comes and goes does not make the program slower than it may be: the governor finds
// out that it has gone. If the machine reports the limit, as the kernel does of heat, that changes
// only what the governor reports.
func TestLimitThatComesAndGoesKeepsTheBudget(t *testing.T) {
	for _, c := range []struct {
		limit      units.Frequency
		dur, every time.Duration
	}{{3e9, 250 * ms, 500 * ms}, {2e9, 50 * ms, 200 * ms}, {3800e6, 100 * ms, 200 * ms}} {
		for _, unreported := range []bool{true, false} {
			f := hardware.FaultPlan{Unreported: unreported}
			for at := 100 * ms; at < 5*time.Second; at += c.every {
				f.Caps = append(f.Caps, hardware.Cap{From: at, To: at + c.dur, Max: c.limit})
			}
			h, slower, energy := listen(t, f, asDefault)
			if slower > 0.055 || energy > -0.05 {
				t.Errorf("%v for %v of %v, unreported %v: slowdown %.2f %%, energy %+.2f %%",
					c.limit, c.dur, c.every, unreported, 100*slower, 100*energy)
			}
			if !unreported && len(h.actions) > 0 {
				t.Errorf("reports %v although the machine does", h.kinds())
			}
		}
	}
}

// In shadow mode the machine's own clock says nothing about the clock that decisions assume.
func TestShadowModeIgnoresTheClock(t *testing.T) {
	h, _, _ := listen(t, hardware.FaultPlan{Unreported: true,
		Caps: []hardware.Cap{{To: time.Hour, Max: 2e9}}},
		func(c *governor.Config) { c.Shadow = true })
	if len(h.actions)+h.insists != 0 {
		t.Errorf("asked again %d times, found %v", h.insists, h.kinds())
	}
}
