package predictor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// heir finds a thread that starts after another one has ended, such that the second can have the
// first one's id: nothing names the first after that start, nor the second before.
func heir(es []epochs.Epoch) (first, second epochs.TID, ok bool) {
	exits, starts := map[epochs.TID]int{}, map[epochs.TID]int{}
	named, last := map[epochs.TID]int{}, map[epochs.TID]int{}
	at := 0
	name := func(id epochs.TID) {
		if _, known := named[id]; !known {
			named[id] = at
		}
		last[id] = at
	}
	for i := range es {
		at++
		for _, r := range es[i].Rows {
			name(r.Thread)
		}
		for _, x := range es[i].Ends {
			at++
			name(x.Thread)
			name(x.By)
			switch x.Kind {
			case epochs.EndExit:
				exits[x.Thread] = at
			case epochs.EndStart:
				starts[x.Thread] = at
			}
		}
	}
	for a, end := range exits {
		for b, begin := range starts {
			if end < begin && last[a] < begin && named[b] == begin && (!ok || a < first ||
				a == first && b < second) {
				first, second, ok = a, b, true
			}
		}
	}
	return first, second, ok
}

// called is es with one thread's id for another's.
func called(es []epochs.Epoch, id, as epochs.TID) (out []epochs.Epoch) {
	change := func(t *epochs.TID) {
		if *t == id {
			*t = as
		}
	}
	for i := range es {
		e := es[i].Clone()
		for j := range e.Rows {
			change(&e.Rows[j].Thread)
		}
		for j := range e.Ends {
			change(&e.Ends[j].Thread)
			change(&e.Ends[j].By)
		}
		out = append(out, e)
	}
	return out
}

// TestReusedIDs: a thread whose id was another's before is predicted as one with an id of its own,
// within a quantum and from one to the next.
func TestReusedIDs(t *testing.T) {
	for _, model := range ModelNames() {
		for _, ctp := range []string{Across, PerEpoch} {
			rng := rand.New(rand.NewPCG(23, 5))
			tried := 0
			for n := range 3000 {
				es := randomEpochs(rng)
				was, is, ok := heir(es)
				if !ok {
					continue
				}
				tried++
				cfg := Config{Model: model, Estimator: "bracket", CTP: ctp,
					Unit: epochs.Nanosecond}
				own, reused := mustNew(t, cfg, testColumns), mustNew(t, cfg, testColumns)
				for i, e := range called(es, is, was) {
					base := units.Frequency(1+rng.IntN(4)) * 1000 * mhz
					own.Add(&es[i], base)
					reused.Add(&e, base)
					if rng.IntN(8) > 0 && i+1 < len(es) {
						continue
					}
					for _, f := range []units.Frequency{1000 * mhz, 3000 * mhz} {
						if a, b := own.Duration(f), reused.Duration(f); a != b {
							t.Fatalf("%s %s, sequence %d: %v with ids of their own, %v reused",
								model, ctp, n, a, b)
						}
						if a, b := own.RunTime(f), reused.RunTime(f); a != b {
							t.Fatalf("%s %s, sequence %d: %v of running with ids of their own, "+
								"%v reused", model, ctp, n, a, b)
						}
					}
					if a, b := own.Advance(4000*mhz), reused.Advance(4000*mhz); a != b {
						t.Fatalf("%s %s, sequence %d: %v on with ids of their own, %v reused",
							model, ctp, n, a, b)
					}
					sameThreads(t, own, reused, is, was)
					own.Reset()
					reused.Reset()
				}
			}
			if tried < 100 {
				t.Fatalf("%d sequences have a thread that could have another's id", tried)
			}
		}
	}
}

// sameThreads: the times of threads differ in nothing but the id, and in that the second says so
// where it follows the first.
func sameThreads(t *testing.T, own, reused *Predictor, is, was epochs.TID) {
	t.Helper()
	a, b := own.Threads(nil, 2000*mhz), reused.Threads(nil, 2000*mhz)
	both := 0
	for i := range a {
		if a[i].Thread == is {
			a[i].Thread = was
		}
		if a[i].Thread == was {
			both++
		}
	}
	follows := slices.IndexFunc(b, func(x ThreadTime) bool { return x.Follows })
	if both == 2 && (follows < 0 || b[follows].Thread != was) {
		t.Fatalf("no thread follows another in %+v", b)
	}
	for i := range b {
		a[i].Follows, b[i].Follows = false, false
	}
	if !slices.Equal(a, b) {
		t.Fatalf("%+v with ids of their own, %+v reused", a, b)
	}
}
