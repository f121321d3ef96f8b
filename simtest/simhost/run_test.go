package simhost_test

import (
	"context"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
	"github.com/ebb-energy/ebb/units"
)

var (
	compute = simtest.Mix{Name: "compute", CPI: 0.5}
	chase   = simtest.Mix{Name: "chase", CPI: 0.6, Memory: 20, L3: 5, Ahead: 6, Stores: 100,
		StoreMisses: 1, Spread: 0.2, Pressure: 0.1}
)

// mixed is a program with locks, barriers, sleeps and a managed heap.
func mixed() simtest.Workload {
	return simtest.Workload{Name: "mixed", Threads: 4, Build: func(b *simtest.Builder) {
		h := b.Heap(simtest.HeapConfig{Nursery: 8 << 20, Survival: 0.1, Spread: 0.5})
		l := b.Mutex(2000)
		bar := b.Barrier(b.Threads())
		for range b.Threads() {
			b.Thread("app", simtest.App, func(t *simtest.Thread) {
				for i := range 400 {
					t.Run(&compute, 100000+t.Rand().Int64N(100000))
					t.Run(&chase, 40000+t.Rand().Int64N(40000))
					t.Alloc(h, 64<<10)
					t.Lock(l)
					t.Run(&chase, 2000)
					t.Unlock(l)
					if i%20 == 0 {
						t.Arrive(bar)
					}
					if i%50 == 0 {
						t.Sleep(time.Millisecond)
					}
				}
			})
		}
	}}
}

// run is one governed run: what the governor saw, and the truth.
type run struct {
	epochs    []epochs.Epoch // without rows
	real      int64          // epochs that no cut of the governor's ended
	quanta    []governor.Quantum
	truth     *simtest.Truth
	holes     int
	delivered map[units.Frequency]bool
}

func (r *run) Observe(ev *governor.Event, actions []governor.Action) {
	if ev.Kind == governor.Applied {
		r.delivered[ev.Frequency] = true
	}
	for i := range actions {
		if actions[i].Kind == governor.Decided {
			r.quanta = append(r.quanta, actions[i].Quantum)
		}
	}
}

func govern(
	t *testing.T, w simtest.Workload, o simtest.Options, change func(*governor.Config),
	more ...governor.Observer,
) *run {
	t.Helper()
	return governOn(t, profile(t, "paper"), w, o, change, more...)
}

func governOn(
	t *testing.T, p hardware.Profile, w simtest.Workload, o simtest.Options,
	change func(*governor.Config), more ...governor.Observer,
) *run {
	t.Helper()
	m, err := simtest.New(p, w, o)
	if err != nil {
		t.Fatal(err)
	}
	cfg := simhost.Configure(governor.Default(), &p, &o)
	change(&cfg)
	g, err := governor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{delivered: map[units.Frequency]bool{}}
	g.Epochs(func(e *epochs.Epoch) {
		if e.Hole {
			r.holes++
		}
		r.epochs = append(r.epochs, epochs.Epoch{Start: e.Start, Dur: e.Dur, Hole: e.Hole})
		for _, end := range e.Ends {
			if end.Kind != epochs.EndCut {
				r.real++
				break
			}
		}
	})
	if err := governor.Run(context.Background(), g, simhost.New(m),
		append(more, r)...); err != nil {
		t.Fatal(err)
	}
	r.truth = m.Truth()
	return r
}

var simulatorCounters = []string{"crit_dram", "sq_full", "crit_offx", "sq_off", "instructions",
	"cycles"}

// Room for one event is too little, and refused: it would be waited for for ever.
func TestRoomForOne(t *testing.T) {
	p := profile(t, "paper")
	m, err := simtest.New(p, saturating(), simtest.Options{Seed: 1, Counters: simulatorCounters})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n, err := simhost.New(m).Next(t.Context(), make([]governor.Event, 1)); err == nil ||
		n != 0 {
		t.Errorf("%d events, %v", n, err)
	}
}
