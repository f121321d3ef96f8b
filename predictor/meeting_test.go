package predictor

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// rounds are epochs in which thread 1 computes and wakes threads 2 and 3, which then run for as
// long without scaling. Thread 4 runs with them, if it takes part, and is left asleep.
func rounds(n int, fourth bool) (es []epochs.Epoch) {
	none := epochs.NoThread
	add := func(dur epochs.Ticks, rows []epochs.Row, ends ...epochs.End) {
		var at epochs.Ticks
		if len(es) > 0 {
			at = es[len(es)-1].Start + es[len(es)-1].Dur
		}
		es = append(es, epochs.Epoch{ID: len(es), Start: at, Dur: dur, Rows: rows, Ends: ends})
	}
	row := func(tid epochs.TID, off int64) epochs.Row {
		return epochs.Row{Thread: tid, Values: []int64{off, 0}}
	}
	for range n {
		rows := []epochs.Row{row(1, 0), row(2, 90_000), row(3, 90_000)}
		ends := []epochs.End{{Kind: epochs.EndSleep, Thread: 2, By: none},
			{Kind: epochs.EndSleep, Thread: 3, By: none}}
		if fourth {
			rows = append(rows, row(4, 0))
			ends = append(ends, epochs.End{Kind: epochs.EndSleep, Thread: 4, By: none})
		}
		add(90_000, rows, ends...)
		wake := []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: 1},
			{Kind: epochs.EndWake, Thread: 3, By: 1}}
		add(10_000, []epochs.Row{row(1, 0)}, wake...)
		if fourth {
			add(1_000, []epochs.Row{row(1, 0), row(2, 1_000), row(3, 1_000)},
				epochs.End{Kind: epochs.EndWake, Thread: 4, By: 1})
		}
	}
	return es
}

// TestMeetingsOfAll: at twice the clock thread 1 comes first. At a barrier it waits for the others
// in each round; where it leaves somebody asleep it is none, and only the others are late.
func TestMeetingsOfAll(t *testing.T) {
	const n = 20
	duration := func(fourth bool, without nonscaling.Rules) float64 {
		p := mustNew(t, Config{Estimator: "crit-off", Without: without},
			[]string{"crit_off", "sq_off"})
		for _, e := range rounds(n, fourth) {
			p.Add(&e, 1000*mhz)
		}
		return p.Duration(2000 * mhz)
	}
	atBarrier := duration(false, 0)
	if atBarrier < n*90_000 || atBarrier != duration(false, nonscaling.WholeMeetings) {
		t.Errorf("a barrier: %v", atBarrier)
	}
	if all, none := duration(true, nonscaling.WholeMeetings), duration(true, 0); none > all {
		t.Errorf("left asleep: %v, as a barrier %v", none, all)
	}
}

// TestShortWaitsOnTables: a thread waits 10 us for one whose 100 us scale, while its own time does
// not. At a quarter of the clock it waits at most twice as long in cycles, and else comes before
// the other; at twice the clock the rule changes nothing.
func TestShortWaitsOnTables(t *testing.T) {
	none := epochs.NoThread
	row := func(tid epochs.TID, off int64) epochs.Row {
		return epochs.Row{Thread: tid, Values: []int64{off, 0}}
	}
	es := []epochs.Epoch{
		{Dur: 90_000, Rows: []epochs.Row{row(1, 0), row(2, 90_000)},
			Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 2, By: none}}},
		{Start: 90_000, Dur: 10_000, Rows: []epochs.Row{row(1, 0)},
			Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: 1}}},
		{Start: 100_000, Dur: 1_000, Rows: []epochs.Row{row(1, 0), row(2, 1_000)},
			Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 1, By: none}}},
		{Start: 101_000, Dur: 300_000, Rows: []epochs.Row{row(2, 300_000)}},
	}
	for i := range es {
		es[i].ID = i
	}
	for _, tt := range []struct {
		without nonscaling.Rules
		f       int64
		want    float64
	}{
		{0, 250, 90_000 + 2*10_000*4 + 301_000},
		{nonscaling.ShortWaits, 250, 4*100_000 + 301_000},
		{0, 2000, 90_000 + 301_000},
		{nonscaling.ShortWaits, 2000, 90_000 + 301_000},
	} {
		p := mustNew(t, Config{Estimator: "crit-off", Unit: epochs.Nanosecond,
			Without: tt.without}, []string{"crit_off", "sq_off"})
		for i := range es {
			p.Add(&es[i], 1000*mhz)
		}
		if got := p.Duration(mhz * units.Frequency(tt.f)); math.Abs(got-tt.want) > 1 {
			t.Errorf("without %v, to %d MHz: %v, want %v", tt.without, tt.f, got, tt.want)
		}
	}
}
