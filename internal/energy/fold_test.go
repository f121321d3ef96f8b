package energy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestFold: a ledger whose units are folded all the time has the sums of one that is left alone, by
// each unit that they become, and adds up after every window.
func TestFold(t *testing.T) {
	const seed = 14
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, name := range RuleNames {
		zones := []Zone{{Name: "package-0", CPUs: []CPU{0, 1}}, {Name: "dram", CPUs: []CPU{0, 1}}}
		folded, whole := New(zones, rule(t, name), ms), New(zones, rule(t, name), ms)
		coarse := func(u Unit) Unit {
			if u.Stack != NoStack {
				u.Stack = 1 + u.Stack%2
			}
			u.Frequency = 0
			return u
		}
		var exited []epochs.TID
		gone := map[epochs.TID]bool{}
		for i := range 300 {
			w := &Window{From: units.Instant(i) * units.Instant(10*ms),
				To: units.Instant(i+1) * units.Instant(10*ms)}
			w.Used = []units.Energy{units.Energy(r.IntN(1e6)), units.Energy(r.IntN(1e6))}
			first := epochs.TID(i/10*10 + 1)
			for c := range 2 {
				th := first + epochs.TID(r.IntN(10))
				w.Runs = append(w.Runs, Run{Thread: th, CPU: CPU(c),
					Alone: time.Duration(r.IntN(int(10 * ms))), Frequency: 1e9})
				for range r.IntN(3) {
					w.Samples = append(w.Samples,
						Sample{Thread: th, Stack: StackID(1 + r.IntN(40)),
							Frequency: units.Frequency(r.IntN(3))})
				}
			}
			for _, l := range []*Ledger{folded, whole} {
				if err := l.Book(w); err != nil {
					t.Fatal(err)
				}
			}
			if i%10 == 9 {
				for th := first; th < first+10; th++ {
					folded.Exited(th)
					whole.Exited(th)
					exited = append(exited, th)
				}
			}
			if i%20 == 19 {
				for _, th := range exited {
					gone[th] = true
				}
				exited = exited[:0]
			}
			if i%7 == 6 {
				folded.Fold(func(u Unit) Unit {
					if u = coarse(u); gone[u.Thread] {
						u.Thread = -7
					}
					return u
				})
			}
			if err := folded.Check(); err != nil {
				t.Fatalf("%s, window %d: %v", name, i, err)
			}
		}
		folded.Finish()
		whole.Finish()
		for i, want := range whole.Totals() {
			if got := folded.Totals()[i]; got != want {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
		sum := func(l *Ledger) (all Entry) {
			all.Energy = make([]units.Energy, 2)
			for _, e := range l.Entries() {
				all.Energy[0] += e.Energy[0]
				all.Energy[1] += e.Energy[1]
				all.Time += e.Time
				all.Samples += e.Samples
				all.Squares += e.Squares
			}
			return all
		}
		got, want := sum(folded), sum(whole)
		if got.Energy[0] != want.Energy[0] || got.Energy[1] != want.Energy[1] ||
			got.Time != want.Time || got.Samples != want.Samples {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if math.Abs(got.Squares/want.Squares-1) > 0.05 {
			t.Errorf("%s: squares %g, want %g", name, got.Squares, want.Squares)
		}
		if n := len(folded.Entries()); n > 100 || len(whole.Entries()) < 300 {
			t.Errorf("%s: %d entries of %d", name, n, len(whole.Entries()))
		}
	}
}
