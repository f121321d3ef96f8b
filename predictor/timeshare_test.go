package predictor

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// sharedCPU makes a run of several threads on one CPU that is never idle: at each instant one
// leaves it, for whatever reason, and another takes it over, which was woken, by whom it may be, is
// new, or had been preempted.
func sharedCPU(rng *rand.Rand) []epochs.Epoch {
	stops := []epochs.EndKind{epochs.EndSleep, epochs.EndOtherSleep, epochs.EndPreempt,
		epochs.EndExit}
	var es []epochs.Epoch
	comes := map[epochs.TID]epochs.EndKind{} // how a thread that has run would come again
	runs, next := epochs.TID(1), epochs.TID(2)
	var now epochs.Ticks
	for id := range 2 + rng.IntN(60) {
		e := epochs.Epoch{ID: id, Start: now, Dur: 1 + epochs.Ticks(rng.Int64N(100_000))}
		now += e.Dur
		e.Rows = []epochs.Row{{Thread: runs, Values: []int64{0}}}
		stop := stops[rng.IntN(len(stops))]
		var waiting []epochs.TID
		for t := range next {
			if comes[t] != 0 {
				waiting = append(waiting, t)
			}
		}
		x := epochs.End{Kind: epochs.EndStart, Thread: next, By: epochs.NoThread}
		if len(waiting) > 0 && (len(waiting) > 6 || rng.IntN(3) > 0) {
			x.Thread = waiting[rng.IntN(len(waiting))]
			x.Kind = comes[x.Thread]
		} else {
			next++
		}
		if x.Kind != epochs.EndResume && rng.IntN(3) > 0 { // it had run, perhaps long ago
			if len(es) > 0 {
				x.By = es[rng.IntN(len(es))].Rows[0].Thread
			}
			if x.By == x.Thread {
				x.By = runs
			}
		}
		delete(comes, x.Thread)
		switch stop {
		case epochs.EndExit:
		case epochs.EndPreempt:
			comes[runs] = epochs.EndResume
		default:
			comes[runs] = epochs.EndWake
		}
		e.Ends = []epochs.End{{Kind: stop, Thread: runs, By: epochs.NoThread}, x}
		runs = x.Thread
		es = append(es, e)
	}
	return es
}

// TestTimeSharing: whatever threads wait for on a CPU that is never idle, their work is done one
// after the other. If all of it scales, so does all the time.
func TestTimeSharing(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for n := range 2000 {
		p := mustNew(t, Config{Estimator: "none"}, []string{"insts"})
		es := sharedCPU(rng)
		for i := range es {
			p.Add(&es[i], 2000*mhz)
		}
		for _, f := range []float64{1, 3, 4} {
			got, want := p.Duration(mhzOf(f)), float64(p.Measured())*2/f
			if math.Abs(got-want) > 1e-9*want {
				t.Fatalf("sequence %d: %v at %v GHz, the CPU's work takes %v", n, got, f, want)
			}
		}
	}
}

// TestTakeOverWaitsForTheThreadBefore: a thread that takes over a CPU waited for the thread before
// it. Thread 1 wakes thread 2, which comes to the CPU after thread 3, at half the frequency
// everything ran at. A row's number is the part of its time that does not scale.
func TestTakeOverWaitsForTheThreadBefore(t *testing.T) {
	row := func(tid epochs.TID, mem int64) epochs.Row {
		return epochs.Row{Thread: tid,
			Values: []int64{mem, 0}}
	}
	none := epochs.NoThread
	for _, c := range []struct {
		name string
		es   []epochs.Epoch
		want float64
	}{
		{"waits for who ran on the CPU since", []epochs.Epoch{
			{Dur: 100, Rows: []epochs.Row{row(1, 0)},
				Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 1, By: none},
					{Kind: epochs.EndResume, Thread: 3, By: none}}},
			{Dur: 1000, Rows: []epochs.Row{row(3, 0)},
				Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 3, By: none},
					{Kind: epochs.EndWake, Thread: 2, By: 1}}},
			{Dur: 10, Rows: []epochs.Row{row(2, 0)}},
		}, 2 * (100 + 1000 + 10)},
		{"waits for its waker on another CPU, who now is the slower", []epochs.Epoch{
			{Dur: 1000, Rows: []epochs.Row{row(1, 0), row(3, 1000)},
				Ends: []epochs.End{{Kind: epochs.EndSleep, Thread: 3, By: none},
					{Kind: epochs.EndWake, Thread: 2, By: 1}}},
			{Dur: 10, Rows: []epochs.Row{row(1, 10), row(2, 0)}},
		}, 2*1000 + 2*10},
		{"a timer's sleep is not what ended last", []epochs.Epoch{
			{Dur: 100, Rows: []epochs.Row{row(2, 0)},
				Ends: []epochs.End{{Kind: epochs.EndOtherSleep, Thread: 2, By: none},
					{Kind: epochs.EndResume, Thread: 3, By: none}}},
			{Dur: 1000, Rows: []epochs.Row{row(3, 0)},
				Ends: []epochs.End{{Kind: epochs.EndPreempt, Thread: 3, By: none},
					{Kind: epochs.EndWake, Thread: 2, By: none}}},
			{Dur: 10, Rows: []epochs.Row{row(2, 0)}},
		}, 2 * (100 + 1000 + 10)},
		{"without a busy CPU it is", []epochs.Epoch{
			{Dur: 100, Rows: []epochs.Row{row(2, 0)},
				Ends: []epochs.End{{Kind: epochs.EndOtherSleep, Thread: 2, By: none}}},
			{Dur: 1000, Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 2, By: none}}},
			{Dur: 10, Rows: []epochs.Row{row(2, 0)}},
		}, 2*(100+10) + 1000},
		{"waits its turn behind one who waits for others", []epochs.Epoch{
			{Dur: 100, Rows: []epochs.Row{row(1, 0)},
				Ends: []epochs.End{{Kind: epochs.EndPreempt, Thread: 1, By: none},
					{Kind: epochs.EndResume, Thread: 2, By: none}}},
			{Dur: 100, Rows: []epochs.Row{row(2, 100)},
				Ends: []epochs.End{{Kind: epochs.EndPreempt, Thread: 2, By: none}}},
			{Dur: 100, Ends: []epochs.End{{Kind: epochs.EndResume, Thread: 1, By: none}}},
			{Dur: 10, Rows: []epochs.Row{row(1, 0)}},
		}, 2*100 + 100 + 100 + 2*10},
		{"of two CPUs, each its own", []epochs.Epoch{
			{Dur: 1000, Rows: []epochs.Row{row(1, 0), row(3, 1000)}, Ends: []epochs.End{
				{Kind: epochs.EndPreempt, Thread: 1, By: none},
				{Kind: epochs.EndPreempt, Thread: 3, By: none},
				{Kind: epochs.EndResume, Thread: 4, By: none},
				{Kind: epochs.EndResume, Thread: 2, By: none}}},
			{Dur: 700, Rows: []epochs.Row{row(2, 0), row(4, 700)}},
		}, max(2*1000+700, 1000+2*700)},
	} {
		p := mustNew(t, Config{Estimator: "crit"}, []string{"crit_dram", "sq_full"})
		for i := range c.es {
			p.Add(&c.es[i], 2000*mhz)
		}
		if got := p.Duration(1000 * mhz); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
