package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// clockEvents runs compute on p and requests each frequency at its time; it returns what the
// machine reported of its clock.
func clockEvents(
	t *testing.T, p hardware.Profile, o Options, asks map[time.Duration]units.Frequency,
) ([]Event, *Truth) {
	t.Helper()
	o.Quiet = true
	w := alone(&computeMix, 1, 60_000_000)
	build := w.Build
	var m *Computer
	w.Build = func(b *Builder) {
		build(b)
		for at, f := range asks {
			b.Later(at, func() { m.Request(f) })
		}
	}
	m = newMachine(t, p, w, o)
	var clocks []Event
	for _, ev := range events(t, m, nil) {
		if ev.Kind == Clock {
			clocks = append(clocks, ev)
		}
	}
	return clocks, m.Truth()
}

// TestPaperTransition: on the paper's machine a request takes effect at once, and the cores stand
// still for 2 us.
func TestPaperTransition(t *testing.T) {
	const n = 60_000_000
	clocks, tr := clockEvents(t, paper(), Options{},
		map[time.Duration]units.Frequency{time.Millisecond: testGHz, 3 * time.Millisecond: testGHz,
			5 * time.Millisecond: 2*testGHz + 1})
	want := []struct {
		at time.Duration
		f  units.Frequency
	}{{time.Millisecond, testGHz}, {3 * time.Millisecond, testGHz},
		{5 * time.Millisecond, 2 * testGHz}}
	if len(clocks) != len(want) {
		t.Fatalf("%d changes reported: %+v", len(clocks), clocks)
	}
	for i, x := range want {
		if clocks[i].At != Beginning.Add(x.at) || clocks[i].Frequency != x.f ||
			clocks[i].Refusal != "" {
			t.Errorf("change %d: %+v, want %v at %v", i, clocks[i], x.f, x.at)
		}
	}
	// 1 ms at 4 GHz, 4 ms at 1, the rest at 2, less two stalls; the first switch takes 1500 cycles.
	cycles := n*computeMix.CPI + paper().SwitchCycles
	wall := 5*time.Millisecond + time.Duration((cycles-4e6-(4e6-2e3))/2) + 2*time.Microsecond
	if (tr.Wall - wall).Abs() > 3 {
		t.Errorf("took %v, want %v", tr.Wall, wall)
	}
	if tr.Transitions != 2 || tr.Requests != 3 || len(tr.Frequencies) != 3 {
		t.Errorf("%d transitions of %d requests, %d frequencies", tr.Transitions, tr.Requests,
			len(tr.Frequencies))
	}
}

// TestTransitionsOfProfiles: on every machine a request takes effect after its time, and not
// before; the clock is always a state; with a ramp it moves by single states.
func TestTransitionsOfProfiles(t *testing.T) {
	for _, p := range hardware.Profiles() {
		asked := p.Lowest()
		at := 3 * time.Millisecond
		clocks, _ := clockEvents(t, p, Options{Clamp: true},
			map[time.Duration]units.Frequency{at: asked})
		if len(clocks) == 0 {
			t.Errorf("%s: a request changed nothing", p.Name)
			continue
		}
		tr := p.Transition
		first, last := clocks[0], clocks[len(clocks)-1]
		if d := first.At.Sub(Beginning.Add(at)); d < tr.Latency ||
			d > tr.Grid+tr.Latency+tr.Jitter+1 {
			t.Errorf("%s: the clock changed after %v", p.Name, d)
		}
		if d := last.At.Sub(Beginning.Add(at)); d > tr.Longest() || last.Frequency != asked {
			t.Errorf("%s: %v after %v", p.Name, last.Frequency, d)
		}
		was := len(p.States) - 1
		for _, c := range clocks {
			i := 0
			for p.States[i] != c.Frequency {
				i++
			}
			if tr.Ramp > 0 && i != was-1 {
				t.Errorf("%s: from state %d to %d", p.Name, was, i)
			}
			was = i
		}
	}
}

// TestNewerRequestReplaces: a request that still waits is replaced by a newer one.
func TestNewerRequestReplaces(t *testing.T) {
	p, err := hardware.ByName("haswell-ep")
	if err != nil {
		t.Fatal(err)
	}
	clocks, _ := clockEvents(t, p, Options{Seed: 2}, map[time.Duration]units.Frequency{
		time.Millisecond: p.States[0], time.Millisecond + 1000: p.States[1], time.Millisecond +
			2000: p.States[2],
	})
	if len(clocks) != 1 || clocks[0].Frequency != p.States[2] {
		t.Errorf("%+v, want one change to %v", clocks, p.States[2])
	}
}

// TestRefusedAndCapped: a refused request is reported with its reason and changes nothing; heat
// lowers the clock, and cooling releases it.
func TestRefusedAndCapped(t *testing.T) {
	clocks, tr := clockEvents(t, paper(), Options{Faults: hardware.FaultPlan{Refuse: 1}},
		map[time.Duration]units.Frequency{time.Millisecond: testGHz})
	if len(clocks) != 1 || clocks[0].Refusal == "" || clocks[0].Frequency != 4*testGHz ||
		tr.Refused != 1 || tr.Transitions != 0 {
		t.Errorf("%+v, %d refused, %d transitions", clocks, tr.Refused, tr.Transitions)
	}
	hot := hardware.FaultPlan{Caps: []hardware.Cap{{From: 2 * time.Millisecond,
		To: 4 * time.Millisecond, Max: 2*testGHz + 5}}}
	clocks, _ = clockEvents(t, paper(), Options{Faults: hot},
		map[time.Duration]units.Frequency{time.Millisecond: 3 * testGHz,
			3 * time.Millisecond: 3500 * testMHz})
	want := []units.Frequency{3 * testGHz, 2 * testGHz, 2 * testGHz, 3500 * testMHz}
	if len(clocks) != len(want) {
		t.Fatalf("%+v", clocks)
	}
	for i, f := range want {
		if clocks[i].Frequency != f {
			t.Errorf("change %d at %d to %v, want %v", i, clocks[i].At, clocks[i].Frequency, f)
		}
	}
	if clocks[3].At != Beginning.Add(4*time.Millisecond) {
		t.Errorf("cool again at %d", clocks[3].At)
	}
}

// TestCapOverPendingRequest: a request that takes effect while it is hot is capped, and met when it
// is cool again; one that still waits when heat comes or goes takes effect in its own time.
func TestCapOverPendingRequest(t *testing.T) {
	p, err := hardware.ByName("haswell-ep")
	if err != nil {
		t.Fatal(err)
	}
	p.Transition = hardware.Transition{Latency: 500 * time.Microsecond}
	low, mid, high := p.States[0], p.States[len(p.States)/2], p.Highest()
	hot := hardware.FaultPlan{Caps: []hardware.Cap{{From: 2200 * time.Microsecond,
		To: 4200 * time.Microsecond, Max: mid}}}
	clocks, _ := clockEvents(t, p, Options{Initial: low, Faults: hot},
		map[time.Duration]units.Frequency{2 * time.Millisecond: high, 4 * time.Millisecond: low})
	want := []struct {
		at time.Duration
		f  units.Frequency
	}{{2500 * time.Microsecond, mid}, {4200 * time.Microsecond, high},
		{4500 * time.Microsecond, low}}
	if len(clocks) != len(want) {
		t.Fatalf("%+v", clocks)
	}
	for i, x := range want {
		if clocks[i].At != Beginning.Add(x.at) || clocks[i].Frequency != x.f {
			t.Errorf("change %d: %v at %d, want %v at %v", i, clocks[i].Frequency, clocks[i].At,
				x.f, x.at)
		}
	}
}

// TestFloorLetsABusyMachineRunFaster: where a request is a lower bound only, a busy machine runs at
// its highest frequency; with both bounds set, it obeys the request.
func TestFloorLetsABusyMachineRunFaster(t *testing.T) {
	p, err := hardware.ByName("hwp")
	if err != nil {
		t.Fatal(err)
	}
	p = p.WithCores(1)
	for _, clamp := range []bool{false, true} {
		_, tr := clockEvents(t, p, Options{Clamp: clamp},
			map[time.Duration]units.Frequency{time.Microsecond: p.Lowest()})
		var low time.Duration
		for _, r := range tr.Frequencies {
			if r.Frequency == p.Lowest() {
				low = r.Time
			}
		}
		if clamp && low < tr.Wall/2 || !clamp && low > tr.Wall/10 {
			t.Errorf("clamp %v: %v of %v at the lowest frequency", clamp, low, tr.Wall)
		}
	}
}
