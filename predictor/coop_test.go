package predictor

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestCoopPredictsPhasesApart: the collector's phase is predicted by itself, whether an event, a
// mark or the threads that run identify it.
func TestCoopPredictsPhasesApart(t *testing.T) {
	none := epochs.End{Thread: epochs.NoThread, By: epochs.NoThread}
	row := func(tid epochs.TID, crit int64) []epochs.Row {
		return []epochs.Row{{Thread: tid, Values: []int64{crit}}}
	}
	es := []epochs.Epoch{{Dur: 100, Rows: row(1, 60)}, {Dur: 100, Rows: row(2, 80)},
		{Dur: 100, Rows: row(1, 0)}}
	columns := []string{"crit_dram"}

	whole := mustNew(t, Config{Model: "m+crit", Estimator: "crit"}, columns)
	marked := mustNew(t, Config{Model: "coop", Estimator: "crit"}, columns)
	byThread := mustNew(t, Config{Model: "coop", Estimator: "crit", Collectors: []epochs.TID{2}},
		columns)
	byEvent := mustNew(t, Config{Model: "coop", Estimator: "crit"}, columns)
	for i := range es {
		whole.Add(&es[i], 1000*mhz)
		if i > 0 {
			marked.Mark()
		}
		marked.Add(&es[i], 1000*mhz)
		byThread.Add(&es[i], 1000*mhz)
		e := es[i]
		e.Ends = []epochs.End{none}
		e.Ends[0].Kind = epochs.EndPhase
		byEvent.Add(&e, 1000*mhz)
	}
	// A thread that sleeps through a phase does not belong to the phase: it would count as waiting,
	// which scales.
	asleep := mustNew(t, Config{Model: "coop", Estimator: "crit"}, columns)
	for _, e := range []epochs.Epoch{{Dur: 100, Rows: row(1, 100)}, {Dur: 100, Rows: row(2, 100)}} {
		e.Ends = []epochs.End{{Kind: epochs.EndPhase, Thread: epochs.NoThread, By: epochs.NoThread}}
		asleep.Add(&e, 1000*mhz)
	}
	if got := asleep.Duration(500 * mhz); got != 200 {
		t.Errorf("two threads in turn that only wait for memory: %v at half the frequency", got)
	}
	// M+CRIT sees thread 2 wait for memory for 80 at most, of all; COOP sees 60 in one phase and 80
	// in the next.
	for name, p := range map[string]*Predictor{"marked": marked, "by thread": byThread,
		"by event": byEvent} {
		if got := p.Duration(2000 * mhz); got != (50+30)+(50+40)+50 {
			t.Errorf("%s: %v at twice the frequency", name, got)
		}
	}
	if got := whole.Duration(2000 * mhz); got != 150+40 {
		t.Errorf("m+crit: %v at twice the frequency", got)
	}
	for _, tt := range []struct {
		of   *Predictor
		n    int
		have bool
	}{{whole, 0, false}, {marked, 2, true}, {byThread, 2, true}, {byEvent, 3, true},
		{mustNew(t, Config{Model: "coop+burst"}, columns), 0, true}} {
		tt.of.Reset() // what a quantum forgets is not what the program has
		if n, have := tt.of.Phases(); n != tt.n || have != tt.have {
			t.Errorf("%s: %d phases, %t; want %d, %t", tt.of.Config().Model, n, have, tt.n, tt.have)
		}
	}
}
