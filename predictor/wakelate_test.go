package predictor

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestWayToCPU: what passes from a wake until the woken thread runs takes as long at any clock,
// however long its waker runs on meanwhile. Thread 1 computes, and so do those that it wakes.
func TestWayToCPU(t *testing.T) {
	row := func(tids ...epochs.TID) (rs []epochs.Row) {
		for _, tid := range tids {
			rs = append(rs, epochs.Row{Thread: tid, Values: []int64{0, 0}})
		}
		return rs
	}
	ends := func(kind epochs.EndKind, delay epochs.Ticks, by epochs.TID,
		tids ...epochs.TID) (es []epochs.End) {
		for i, tid := range tids {
			e := epochs.End{Kind: kind, Thread: tid, By: by}
			if delay > 0 {
				e.Delay = delay - 10*epochs.Ticks(i) // woken one after the other
			}
			es = append(es, e)
		}
		return es
	}
	first := epochs.Epoch{Dur: 100, Rows: row(1, 2, 3),
		Ends: ends(epochs.EndSleep, 0, epochs.NoThread, 2, 3)}
	for _, tc := range []struct {
		name string
		es   []epochs.Epoch
		want float64 // at half the clock
	}{
		{"not known how long", []epochs.Epoch{first,
			{Dur: 900, Rows: row(1), Ends: ends(epochs.EndWake, 0, 1, 2)},
			{Dur: 1000, Rows: row(2)}}, 4000},
		{"its waker runs on", []epochs.Epoch{first,
			{Dur: 900, Rows: row(1), Ends: ends(epochs.EndWake, 200, 1, 2)},
			{Dur: 1000, Rows: row(2)}}, 1600 + 200 + 2000},
		{"one after the other", []epochs.Epoch{first,
			{Dur: 850, Rows: row(1), Ends: ends(epochs.EndWake, 200, 1, 3)},
			{Dur: 50, Rows: row(1, 3), Ends: ends(epochs.EndWake, 200, 1, 2)},
			{Dur: 1000, Rows: row(2)}}, 1600 + 200 + 2000},
		{"its waker sleeps by now", []epochs.Epoch{first,
			{Dur: 800, Rows: row(1), Ends: ends(epochs.EndSleep, 0, epochs.NoThread, 1)},
			{Dur: 100, Ends: ends(epochs.EndWake, 150, 1, 2)}, {Dur: 1000, Rows: row(2)}},
			1700 + 150 + 2000},
		{"both at once", []epochs.Epoch{first,
			{Dur: 900, Rows: row(1), Ends: ends(epochs.EndWake, 200, 1, 2, 3)},
			{Dur: 1000, Rows: row(2, 3)}}, 1620 + 190 + 2000},
	} {
		p := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		at := epochs.Ticks(0)
		for i := range tc.es {
			e := &tc.es[i]
			e.ID, e.Start = i, at
			at += e.Dur
			p.Add(e, 2000*mhz)
		}
		if got := p.Duration(1000 * mhz); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: %v at half the clock, want %v", tc.name, got, tc.want)
		}
	}
}

// TestShortWaitAtMostDoubles: a thread that waits for a lock waits at most twice as long at another
// clock. Thread 1 waits for memory all the time and holds the lock, thread 2 computes and comes to
// it.
func TestShortWaitAtMostDoubles(t *testing.T) {
	const us = 1000
	for _, tc := range []struct {
		name string
		kind epochs.EndKind
		wait int64
		f    units.Frequency
		then int64 // that thread 2 computes after it
		want float64
	}{
		{"a lock", epochs.EndSleep, 20 * us, 4000 * mhz, 400 * us, 100*us + 2*20*us + 200*us},
		{"as long as locks are held", epochs.EndSleep, 50 * us, 4000 * mhz, 400 * us,
			100*us + 2*50*us + 200*us},
		{"what another has to do first", epochs.EndSleep, 51 * us, 4000 * mhz, 400 * us,
			251*us + 200*us},
		{"a device", epochs.EndOtherSleep, 20 * us, 4000 * mhz, 400 * us, 220*us + 200*us},
		{"at the clock it ran at", epochs.EndSleep, 20 * us, 2000 * mhz, 400 * us, 620 * us},
		{"at half of it the holder is there first", epochs.EndSleep, 20 * us, 1000 * mhz, 400 * us,
			400*us + 800*us},
	} {
		row := func(tid epochs.TID, dur, waits int64) epochs.Row {
			return epochs.Row{Thread: tid, Values: []int64{waits * dur, 0}}
		}
		es := []epochs.Epoch{
			{Dur: 200 * us, Rows: []epochs.Row{row(1, 200*us, 1), row(2, 200*us, 0)},
				Ends: []epochs.End{{Kind: tc.kind, Thread: 2, By: epochs.NoThread}}},
			{Dur: epochs.Ticks(tc.wait), Rows: []epochs.Row{row(1, tc.wait, 1)},
				Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: 1, Delay: us}}},
			{Dur: us, Rows: []epochs.Row{row(1, us, 1), row(2, us, 0)},
				Ends: []epochs.End{{Kind: epochs.EndOtherSleep, Thread: 1, By: epochs.NoThread}}},
			{Dur: epochs.Ticks(tc.then - us), Rows: []epochs.Row{row(2, tc.then-us, 0)}},
		}
		p := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
		at := epochs.Ticks(0)
		for i := range es {
			es[i].ID, es[i].Start = i, at
			at += es[i].Dur
			p.Add(&es[i], 2000*mhz)
		}
		if got := p.Duration(tc.f); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
