package predictor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// section is a thread's part of a parallel section: its time at the base, and the part of it that
// does not scale.
type section struct{ dur, off int64 }

// sections are epochs of threads that begin each round together. A thread that is through its part
// sleeps; the last one wakes all others.
func sections(rounds [][]section) (es []epochs.Epoch) {
	now := int64(0)
	for _, parts := range rounds {
		order := make([]int, len(parts))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return int(parts[a].dur - parts[b].dur) })
		ran := int64(0)
		for k, t := range order {
			d := parts[t].dur - ran
			e := epochs.Epoch{ID: len(es), Start: epochs.Ticks(now), Dur: epochs.Ticks(d)}
			for _, u := range order[k:] {
				x := parts[u]
				off := x.off*(ran+d)/x.dur - x.off*ran/x.dur
				e.Rows = append(e.Rows, epochs.Row{Thread: epochs.TID(u + 1),
					Values: []int64{off, 0}})
			}
			e.Ends = []epochs.End{{Kind: epochs.EndSleep, Thread: epochs.TID(t + 1),
				By: epochs.NoThread}}
			if k == len(order)-1 {
				e.Ends = nil
				for _, u := range order[:k] {
					e.Ends = append(e.Ends, epochs.End{Kind: epochs.EndWake,
						Thread: epochs.TID(u + 1), By: epochs.TID(t + 1)})
				}
			}
			es, now, ran = append(es, e), now+d, ran+d
		}
	}
	return es
}

// cutEvery cuts epochs at every multiple of quantum.
func cutEvery(es []epochs.Epoch, quantum epochs.Ticks) (out []epochs.Epoch) {
	for _, e := range es {
		for {
			room := quantum - e.Start%quantum
			if e.Dur <= room {
				break
			}
			head := epochs.Epoch{ID: len(out), Start: e.Start, Dur: room,
				Ends: []epochs.End{{Kind: epochs.EndCut, Thread: epochs.NoThread,
					By: epochs.NoThread}}}
			tail := e
			tail.Rows = nil
			for _, r := range e.Rows {
				part := r.Values[0] * int64(room) / int64(e.Dur)
				head.Rows = append(head.Rows, epochs.Row{Thread: r.Thread,
					Values: []int64{part, 0}})
				tail.Rows = append(tail.Rows, epochs.Row{Thread: r.Thread,
					Values: []int64{r.Values[0] - part, 0}})
			}
			tail.Start, tail.Dur = e.Start+room, e.Dur-room
			out, e = append(out, head), tail
		}
		e.ID = len(out)
		out = append(out, e)
	}
	return out
}

// advances are a program's, quantum by quantum, and its duration as a whole.
func advances(
	t *testing.T, es []epochs.Epoch, quantum epochs.Ticks, base, f units.Frequency,
) (parts []float64, whole float64) {
	t.Helper()
	q := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
	w := mustNew(t, Config{Estimator: "crit-off"}, []string{"crit_off", "sq_off"})
	for i := range es {
		w.Add(&es[i], base)
		q.Add(&es[i], base)
		end := es[i].Start + es[i].Dur
		if next := i + 1; next == len(es) || end%quantum == 0 && es[next].Dur > 0 {
			parts = append(parts, q.Advance(f))
			q.Reset()
		}
	}
	return parts, w.Duration(f)
}

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// TestAdvancesOfSections: in sections longer than a quantum threads are ahead of each other by more
// than a quantum, and some sleep for several. When all have met, the advances add up to the whole.
func TestAdvancesOfSections(t *testing.T) {
	const base, quantum = 2000 * mhz, 5000
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 23))
		threads := 3 + rng.IntN(4)
		rounds := make([][]section, 1+rng.IntN(6))
		for i := range rounds {
			length := quantum/2 + rng.Int64N(60*quantum)
			for range threads {
				d := length/3 + rng.Int64N(length)
				rounds[i] = append(rounds[i], section{d, rng.Int64N(d)})
			}
		}
		es := cutEvery(sections(rounds), quantum)
		for _, f := range []units.Frequency{1000 * mhz, base, 3000 * mhz, 4000 * mhz} {
			parts, whole := advances(t, es, quantum, base, f)
			if got := sum(parts); math.Abs(got-whole) > 1e-6*whole+float64(threads*len(es)) {
				t.Fatalf("seed %d: %d threads in %d sections: advances to %v add up to %.0f, the "+
					"whole takes %.0f", seed, threads, len(rounds), f, got, whole)
			}
		}
	}
}

// TestAdvanceOfThreadsThatDoNotMeet: which of two threads the program will wait for is not known.
// It is as far as the one that the clock helps most, within a quantum, and as far as the other when
// that one has ended. Neither goes on in jumps.
func TestAdvanceOfThreadsThatDoNotMeet(t *testing.T) {
	const base, f, quantum, n = 1000 * mhz, 2000 * mhz, 1000, 40
	for _, ends := range []epochs.EndKind{epochs.EndExit, epochs.EndSleep, epochs.EndOtherSleep} {
		var es []epochs.Epoch
		for i := range 2 * n {
			e := epochs.Epoch{ID: i, Start: epochs.Ticks(i) * quantum, Dur: quantum,
				Rows: []epochs.Row{{Thread: 1, Values: []int64{0, 0}}}}
			if i < n {
				e.Rows = append(e.Rows, epochs.Row{Thread: 9, Values: []int64{quantum, 0}})
			}
			if i == n-1 {
				e.Ends = []epochs.End{{Kind: ends, Thread: 9, By: epochs.NoThread}}
			}
			es = append(es, e)
		}
		parts, _ := advances(t, es, quantum, base, f)
		come := 0.0
		for i, a := range parts {
			come += a
			if first := float64(i+1) * quantum / 2; come < first-1 || come > first+quantum+1 {
				t.Errorf("%v: after %d quanta the program has come to %.0f, its first thread to "+
					"%.0f", ends, i+1, come, first)
			}
		}
	}
}

// TestLeadsOutlastSleeps: a thread that waits for memory sleeps for many quanta, ahead of the one
// that wakes it. It was ahead still when it is woken: at the higher clock it would not have slept.
func TestLeadsOutlastSleeps(t *testing.T) {
	const base, f, quantum = 1000 * mhz, 2000 * mhz, 1000
	var es []epochs.Epoch
	for i := range 40 { // thread 9 waits for memory in the first 20 and the last 10
		e := epochs.Epoch{ID: i, Start: epochs.Ticks(i) * quantum, Dur: quantum,
			Rows: []epochs.Row{{Thread: 1, Values: []int64{0, 0}}}}
		if i < 20 || i >= 30 {
			e.Rows = append(e.Rows, epochs.Row{Thread: 9, Values: []int64{quantum, 0}})
		}
		switch i {
		case 19:
			e.Ends = []epochs.End{{Kind: epochs.EndSleep, Thread: 9, By: epochs.NoThread}}
		case 29:
			e.Ends = []epochs.End{{Kind: epochs.EndWake, Thread: 9, By: 1}}
		case 39:
			e.Ends = []epochs.End{{Kind: epochs.EndSleep, Thread: 1, By: epochs.NoThread}}
		}
		es = append(es, e)
	}
	es = append(es, epochs.Epoch{ID: 40, Start: 40 * quantum, Dur: quantum,
		Rows: []epochs.Row{{Thread: 9, Values: []int64{quantum, 0}}}})
	parts, whole := advances(t, es, quantum, base, f)
	if got := sum(parts); math.Abs(got-whole) > 1 || whole != 31*quantum {
		t.Errorf("advances add up to %.0f, the whole takes %.0f", got, whole)
	}
}

// TestBarrierOfThreadsBehind: threads that are all behind the program meet at their latest clock,
// not at the program's.
func TestBarrierOfThreadsBehind(t *testing.T) {
	const base, f, quantum = 1000 * mhz, 2000 * mhz, 1000
	es := []epochs.Epoch{{Ends: []epochs.End{ // thread 9 waits for memory, the others compute
		{Kind: epochs.EndSleep, Thread: 9, By: epochs.NoThread}}}}
	es = append(es, sections([][]section{{{100, 0}, {200, 0}, {300, 0}}, {{50, 0}, {50, 0},
		{50, 0}}})...)
	for _, thread := range []epochs.TID{1, 2, 3, 9} {
		es[0].Rows = append(es[0].Rows, epochs.Row{Thread: thread,
			Values: []int64{int64(thread/9) * quantum, 0}})
	}
	es[0].Dur = quantum
	for i := range es[1:] {
		es[i+1].Start += quantum
	}
	parts, _ := advances(t, es, quantum, base, f)
	if want := (quantum + 300 + 50) / 2.0; len(parts) != 2 || math.Abs(sum(parts)-want) > 1 {
		t.Errorf("advances of %.0f, together the threads take %.0f", parts, want)
	}
}
