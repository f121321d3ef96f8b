package energy

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestOnlyCountedZonesWidenIntervals: zones that are parts of others, or contain them, change no
// sum of squares, so no interval either, while samples come and when threads end.
func TestOnlyCountedZonesWidenIntervals(t *testing.T) {
	cpus := []CPU{0, 1}
	alone := New([]Zone{{Name: "package-0", CPUs: cpus}}, rule(t, "cpu-time"), 10*ms)
	all := New([]Zone{{Name: "core-0", CPUs: cpus}, {Name: "package-0", CPUs: cpus},
		{Name: "psys", CPUs: cpus}}, rule(t, "cpu-time"), 10*ms)
	all.Count([]bool{false, true, false})
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 200 {
		from := units.Instant(i) * units.Instant(100*ms)
		e := units.Energy(r.IntN(1e9))
		w := Window{From: from, To: from.Add(100 * ms)}
		for id := epochs.TID(1); id < 4; id++ {
			w.Runs = append(w.Runs, Run{Thread: id, CPU: CPU(id % 2),
				Alone: time.Duration(r.IntN(int(30 * ms)))})
			for range r.IntN(3) {
				w.Samples = append(w.Samples,
					Sample{Thread: id, At: from, Stack: StackID(r.IntN(3))})
			}
		}
		x := w
		w.Used, x.Used = []units.Energy{e}, []units.Energy{e * 7 / 10, e, 2 * e}
		if err := errors.Join(alone.Book(&w), all.Book(&x)); err != nil {
			t.Fatal(err)
		}
		if ended := epochs.TID(r.IntN(30)); ended > 0 && ended < 4 {
			alone.Exited(ended)
			all.Exited(ended)
		}
	}
	alone.Finish()
	all.Finish()
	if len(alone.Entries()) < 5 {
		t.Fatal("few entries")
	}
	for u, e := range alone.Entries() {
		if got := all.Entries()[u].Squares; math.Abs(got-e.Squares) > 1e-9*e.Squares {
			t.Errorf("%v: %v with other zones, %v without", u, got, e.Squares)
		}
	}
}

// TestWatcherSeesAll: what a watcher is called with adds up to the entries, for random windows with
// threads that end.
func TestWatcherSeesAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1}}, {Name: "core-0", CPUs: []CPU{0, 1}}},
		rule(t, "cpu-time"), 10*ms)
	type sum struct {
		e       units.Energy
		cpu     time.Duration
		samples int
		squares float64
	}
	seen := map[Unit]sum{}
	watch := func(u Unit, e units.Energy, cpu time.Duration, n int, sq float64) {
		s := seen[u]
		seen[u] = sum{s.e + e, s.cpu + cpu, s.samples + n, s.squares + sq}
	}
	l.Count([]bool{true, false})
	l.Watch(watch)
	for i := range 500 {
		from := units.Instant(i) * units.Instant(100*ms)
		w := Window{From: from, To: from.Add(100 * ms),
			Used: []units.Energy{units.Energy(r.IntN(1e9)), units.Energy(r.IntN(1e8))}}
		for range r.IntN(5) {
			id := epochs.TID(1 + r.IntN(6))
			w.Runs = append(w.Runs, Run{Thread: id, CPU: CPU(r.IntN(2)),
				Alone: time.Duration(r.IntN(int(30 * ms)))})
			for range r.IntN(4) {
				w.Samples = append(w.Samples, Sample{Thread: id, At: from,
					Stack: StackID(1 + r.IntN(4))})
			}
		}
		if err := l.Book(&w); err != nil {
			t.Fatal(err)
		}
		if r.IntN(10) == 0 {
			l.Exited(epochs.TID(1 + r.IntN(6)))
		}
	}
	l.Finish()
	for u, e := range l.Entries() {
		s := seen[u]
		if s.e != e.Energy[0] || s.cpu != e.Time || s.samples != e.Samples ||
			s.squares != e.Squares {
			t.Errorf("%v: %+v, and the entry has %v, %v, %d, %v", u, s, e.Energy[0], e.Time,
				e.Samples, e.Squares)
		}
		delete(seen, u)
	}
	if len(seen) > 0 {
		t.Errorf("without an entry: %v", seen)
	}
}
