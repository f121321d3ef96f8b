package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestReusedIDs: threads come one after the other. With one id for all of them, each stack has what
// it has where each thread has an id of its own: energy, CPU time, samples and the squares behind
// its interval. Stacks are folded now and then.
func TestReusedIDs(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		zones := []Zone{{Name: "a", CPUs: []CPU{0}}, {Name: "b", CPUs: []CPU{0}}}
		period := time.Duration(r.IntN(2)) * ms
		one, own := New(zones, rule(t, "ledger"), period), New(zones, rule(t, "ledger"), period)
		for life := range epochs.TID(2 + r.IntN(5)) {
			for range 1 + r.IntN(5) {
				w := randomWindow(r, len(zones))
				w.Runs = []Run{{CPU: 0, Alone: time.Duration(r.Int64N(int64(10 * ms)))}}
				w.Others = nil
				for _, x := range []struct {
					l  *Ledger
					id epochs.TID
				}{{one, 1}, {own, life + 1}} {
					w.Runs[0].Thread = x.id
					for i := range w.Samples {
						w.Samples[i].Thread = x.id
					}
					if err := x.l.Book(w); err != nil {
						t.Fatal(err)
					}
				}
			}
			if r.IntN(3) == 0 {
				fold := func(u Unit) Unit {
					if u.Stack == 2 {
						u.Stack = 1
					}
					return u
				}
				one.Fold(fold)
				own.Fold(fold)
			}
			one.Exited(1)
			own.Exited(life + 1)
		}
		compareStacks(t, seed, one, own)
	}
}

// compareStacks compares what all threads of two ledgers have in each stack.
func compareStacks(t *testing.T, seed uint64, got, want *Ledger) {
	t.Helper()
	sums := func(l *Ledger) map[StackID]*Entry {
		out := map[StackID]*Entry{}
		for u, e := range l.Entries() {
			s := out[u.Stack]
			if s == nil {
				s = &Entry{Energy: make([]units.Energy, len(e.Energy))}
				out[u.Stack] = s
			}
			for i, x := range e.Energy {
				s.Energy[i] += x
			}
			s.Time, s.Samples, s.Squares = s.Time+e.Time, s.Samples+e.Samples, s.Squares+e.Squares
		}
		return out
	}
	if err := got.Check(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	a, b := sums(got), sums(want)
	if len(a) != len(b) {
		t.Fatalf("seed %d: %d stacks, not %d", seed, len(a), len(b))
	}
	for s, y := range b {
		x := a[s]
		if x == nil {
			t.Fatalf("seed %d: nothing for stack %d", seed, s)
		}
		// A thread's rest goes to its units in whole nJ and ns. The last of them may go elsewhere.
		near := func(p, q float64, by float64) bool { return math.Abs(p-q) <= by }
		for i := range y.Energy {
			if !near(float64(x.Energy[i]), float64(y.Energy[i]), 8) {
				t.Errorf("seed %d, stack %d: %v, not %v", seed, s, x.Energy, y.Energy)
			}
		}
		if !near(float64(x.Time), float64(y.Time), 8) || x.Samples != y.Samples ||
			!near(x.Squares, y.Squares, 1e-6*y.Squares+1e6) {
			t.Errorf("seed %d, stack %d: %+v, not %+v", seed, s, x, y)
		}
	}
}

// TestBesideIsRepeatable: a core of many hardware threads gives the same shared times each time,
// whatever order its CPUs come in.
func TestBesideIsRepeatable(t *testing.T) {
	cores := map[CPU]Core{}
	for c := range CPU(8) {
		cores[c] = 0
	}
	var first []Run
	for range 200 {
		w := &Window{To: units.Instant(time.Second)}
		for c := range CPU(8) {
			w.Others = append(w.Others,
				Other{CPU: c, Time: time.Duration(c+1) * 61_234_567 * time.Nanosecond})
		}
		w.Runs = []Run{{Thread: 1, CPU: 3, Alone: 312_345_678}}
		w.Beside(cores)
		if first == nil {
			first = w.Runs
		}
		if w.Runs[0] != first[0] {
			t.Fatalf("%+v, and %+v before", w.Runs[0], first[0])
		}
	}
}
