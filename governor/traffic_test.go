package governor

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

func TestTrafficIsARate(t *testing.T) {
	const ms = units.Instant(time.Millisecond)
	var c traffic
	know := func(end units.Instant, reads, writes uint64, known bool) {
		t.Helper()
		if r, w, ok := c.during(end, 5*time.Millisecond); r != reads || w != writes || ok != known {
			t.Errorf("at %d ms: %d, %d, %t; want %d, %d, %t", end/ms, r, w, ok, reads, writes,
				known)
		}
	}
	know(5*ms, 0, 0, false)
	c.reading(10*ms, 1000, 100)
	know(15*ms, 0, 0, false)
	c.reading(50*ms, 9000, 100)
	know(15*ms, 1000, 0, true)
	know(50*ms, 1000, 0, true)
	c.reading(50*ms, 99000, 100) // the same time again says nothing
	know(55*ms, 1000, 0, true)
	c.reading(60*ms, 9001, 300)
	know(60*ms, 1, 100, true) // half a line is one
	know(2000*ms, 0, 0, false)
	c.reading(70*ms, 5, 5) // counters that began anew
	know(70*ms, 0, 0, false)
	c.reading(80*ms, 25, 5)
	know(80*ms, 10, 0, true)
}

// A run's quanta have the controllers' counts as memory traffic if there are any, otherwise the
// cores' counts.
func TestQuantaHaveTheTraffic(t *testing.T) {
	for _, counted := range []bool{false, true} {
		g, err := New(Config{
			Objective: SystemEnergy, Power: power.Table2(), States: []units.Frequency{1e9,
				4e9}, Quantum: 5 * time.Millisecond, HoldOff: 1,
			Predictor: predictor.Config{Model: "dep", Estimator: "none",
				CTP: predictor.Across}, Counters: []string{"dram_rd"},
		})
		if err != nil {
			t.Fatal(err)
		}
		const q = units.Instant(5 * time.Millisecond)
		sched := func(ev epochs.Event) Event { return Event{Kind: Sched, Sched: ev} }
		events := []Event{{Kind: Begin, At: q, Frequency: 4e9},
			sched(epochs.Event{Kind: epochs.On, Cause: epochs.Started, At: q, Thread: 1,
				By: epochs.NoThread})}
		for i := units.Instant(2); i < 12; i++ {
			slice := epochs.Event{Kind: epochs.Slice, At: i * q, From: (i - 1) * q, Thread: 1,
				By: epochs.NoThread}
			slice.Counters[0] = 70
			events = append(events, sched(slice))
			if counted {
				events = append(events, Event{Kind: Traffic, At: i * q, Reads: uint64(100 * i),
					Writes: uint64(30 * i)})
			}
			events = append(events, sched(epochs.Event{Kind: epochs.Tick, At: i * q,
				Thread: epochs.NoThread, By: epochs.NoThread}))
		}
		quanta := 0
		for i := range events {
			for _, a := range g.Step(&events[i], nil) {
				if a.Kind != Decided {
					continue
				}
				quanta++
				reads, writes := a.Quantum.Lines()
				switch {
				case a.Quantum.DRAMReads != 70:
					t.Errorf("quantum %d: %d requests of the program, want 70", quanta,
						a.Quantum.DRAMReads)
				case !counted || quanta == 1: // one reading is no rate
					if reads != 70 || writes != 0 || a.Quantum.MemoryCounted {
						t.Errorf("quantum %d, not counted: %d lines read, %d written", quanta,
							reads, writes)
					}
				case reads != 100 || writes != 30:
					t.Errorf("quantum %d: %d lines read, %d written, want 100 and 30", quanta,
						reads, writes)
				}
			}
		}
		if quanta < 8 {
			t.Errorf("%d quanta", quanta)
		}
	}
}
