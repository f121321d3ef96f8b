package predictor

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// handOn is a thread 1 that computes and then wakes threads 2 and 3, in one epoch after the other;
// thread 3 has waited since it had done as long a stretch that does not scale. Thread 4 runs beside
// if there is company.
func handOn(company bool) []epochs.Epoch {
	row := func(tid epochs.TID, off int64) epochs.Row {
		return epochs.Row{Thread: tid,
			Values: []int64{off}}
	}
	rows := func(rs ...epochs.Row) []epochs.Row {
		if company {
			rs = append(rs, row(4, 0))
		}
		return rs
	}
	es := []epochs.Epoch{
		{Dur: 1000, Rows: rows(row(1, 0), row(2, 0), row(3, 1000)), Ends: []epochs.End{
			{Kind: epochs.EndSleep, Thread: 2, By: epochs.NoThread},
			{Kind: epochs.EndSleep, Thread: 3, By: epochs.NoThread}}},
		{Dur: 100, Rows: rows(row(1, 0)),
			Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: 1}}},
		{Dur: 1, Rows: rows(row(1, 0)),
			Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 3, By: 1}}},
		{Dur: 1000, Rows: rows(row(1, 0))},
	}
	var at epochs.Ticks
	for i := range es {
		es[i].ID, es[i].Start = i, at
		at += es[i].Dur
	}
	return es
}

// TestBarrierOrHandingOn: a thread that wakes several while no other runs has met them at a
// barrier. It leaves with the last of them, which at a higher clock is the one that waits for
// memory. While others run it has handed something on, and does not wait for them.
func TestBarrierOrHandingOn(t *testing.T) {
	for _, tc := range []struct {
		company bool
		want    float64
	}{{false, 1000 + 1001.0/2}, {true, 2101.0 / 2}} {
		p := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		for _, e := range handOn(tc.company) {
			for i := range e.Rows {
				e.Rows[i].Values = append(e.Rows[i].Values, 0)
			}
			p.Add(&e, 1000*mhz)
		}
		if got := p.Duration(2000 * mhz); math.Abs(got-tc.want) > 1.5 {
			t.Errorf("company %v: %v at twice the clock, want %v", tc.company, got, tc.want)
		}
	}
}
