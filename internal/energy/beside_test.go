package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestBeside: what is shared with other programs, where their times say it exactly.
func TestBeside(t *testing.T) {
	const ms = time.Millisecond
	cores := map[CPU]Core{0: 0, 1: 0, 2: 1, 3: 1}
	window := func(runs []Run, others ...Other) *Window {
		return &Window{To: units.Instant(100 * ms), Runs: runs, Others: others}
	}
	for _, c := range []struct {
		name   string
		w      *Window
		runs   []Run
		others []time.Duration
	}{
		{"others all the time", window([]Run{{CPU: 0, Alone: 60 * ms}}, Other{CPU: 1,
			Time: 100 * ms}), []Run{{CPU: 0, Shared: 60 * ms}}, []time.Duration{60 * ms}},
		{"others on another core", window([]Run{{CPU: 0, Alone: 60 * ms}}, Other{CPU: 2,
			Time: 100 * ms}), []Run{{CPU: 0, Alone: 60 * ms}}, []time.Duration{0}},
		{"others on the same CPU", window([]Run{{CPU: 0, Alone: 60 * ms}}, Other{CPU: 0,
			Time: 40 * ms}), []Run{{CPU: 0, Alone: 60 * ms}}, []time.Duration{0}},
		{"the target all the time, others half of it", window([]Run{{CPU: 0, Alone: 100 * ms}},
			Other{CPU: 1, Time: 50 * ms}), []Run{{CPU: 0, Alone: 50 * ms, Shared: 50 * ms}},
			[]time.Duration{50 * ms}},
		{"others only", window(nil, Other{CPU: 0, Time: 100 * ms}, Other{CPU: 1, Time: 30 * ms}),
			nil, []time.Duration{30 * ms, 30 * ms}},
		{"a sibling of the target's for the rest", window([]Run{{CPU: 0, Alone: 40 * ms,
			Shared: 60 * ms}, {CPU: 1, Shared: 60 * ms}}, Other{CPU: 1, Time: 40 * ms}),
			[]Run{{CPU: 0, Shared: 100 * ms}, {CPU: 1, Shared: 60 * ms}},
			[]time.Duration{40 * ms}},
		{"more time than the window has", window([]Run{{CPU: 0, Alone: 70 * ms}}, Other{CPU: 1,
			Time: 130 * ms}), []Run{{CPU: 0, Shared: 70 * ms}}, []time.Duration{91 * ms}},
		{"an empty window", &Window{Others: []Other{{CPU: 1, Time: ms}}}, nil,
			[]time.Duration{0}},
	} {
		c.w.Beside(cores)
		for i, want := range c.runs {
			if got := c.w.Runs[i]; got.Alone != want.Alone || got.Shared != want.Shared {
				t.Errorf("%s: run %d is %+v, want %+v", c.name, i, got, want)
			}
		}
		for i, want := range c.others {
			if got := c.w.Others[i].Shared; (got - want).Abs() > time.Microsecond {
				t.Errorf("%s: others %d shared %v, want %v", c.name, i, got, want)
			}
		}
	}
}

// TestBesideIsTheMean: over many windows in which others come at random, the shared times are those
// of a count of every tick.
func TestBesideIsTheMean(t *testing.T) {
	const windows, ticks = 400, 500
	rng := rand.New(rand.NewPCG(8, 115))
	cores := map[CPU]Core{0: 0, 1: 0}
	var got, want, gotOthers, wantOthers time.Duration
	for range windows {
		var w Window
		b := NewBuilder(cores, func(x *Window) {
			w = *x
			w.Runs = append([]Run(nil), x.Runs...)
		})
		b.Begin(0)
		// Each CPU has stretches of the target's, of others, and of nothing.
		var who [2][ticks]int
		length := [2]time.Duration{}
		for c := range who {
			what := [3]float64{rng.Float64(), rng.Float64(), rng.Float64()}
			sum := what[0] + what[1] + what[2]
			for i := range ticks {
				switch x := rng.Float64() * sum; {
				case i%5 > 0:
					who[c][i] = who[c][i-1]
				case x < what[0]:
					who[c][i] = 1
				case x < what[0]+what[1]:
					who[c][i] = 2
				}
				switch who[c][i] {
				case 1:
					b.Slice(Slice{Thread: epochs.TID(c + 1), CPU: CPU(c), From: units.Instant(i),
						To: units.Instant(i + 1)})
				case 2:
					length[c]++
				}
			}
		}
		for i := range ticks {
			if who[0][i] == 0 || who[1][i] == 0 {
				continue
			}
			for c := range who {
				if who[c][i] == 1 {
					want++
				} else {
					wantOthers++
				}
			}
		}
		b.Reading(ticks, nil, []Other{{CPU: 0, Time: length[0]}, {CPU: 1, Time: length[1]}})
		b.Delivered(ticks)
		var before time.Duration
		for _, r := range w.Runs {
			before += r.Time()
		}
		w.Beside(cores)
		for _, r := range w.Runs {
			got += r.Shared
			before -= r.Time()
		}
		for _, o := range w.Others {
			gotOthers += o.Shared
		}
		if before != 0 {
			t.Fatalf("the threads' time changed by %v", before)
		}
	}
	t.Logf("threads shared %v of %v, others %v of %v", got, want, gotOthers, wantOthers)
	// The count's standard deviation is some 0.3 %.
	if math.Abs(float64(got)/float64(want)-1) > 0.03 ||
		math.Abs(float64(gotOthers)/float64(wantOthers)-1) > 0.03 {
		t.Errorf("threads shared %v, by each tick %v; others %v, by each tick %v", got, want,
			gotOthers, wantOthers)
	}
}
