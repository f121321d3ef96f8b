package epochs

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// drained is an Assembler that hands over what is out after each call, or keeps copies of it.
type drained struct {
	*Assembler
	take   func(*Epoch) // nil: copies are kept
	epochs []Epoch
}

func newTestAssembler(t testing.TB, c Config) *drained {
	t.Helper()
	a, err := NewAssembler(c)
	if err != nil {
		t.Fatal(err)
	}
	return &drained{Assembler: a}
}

func (d *drained) all() {
	for e := d.Next(); e != nil; e = d.Next() {
		if d.take != nil {
			d.take(e)
		} else {
			d.epochs = append(d.epochs, e.Clone())
		}
	}
}

func (d *drained) Begin(at units.Instant)   { d.Assembler.Begin(at); d.all() }
func (d *drained) Push(ev *Event)           { d.Assembler.Push(ev); d.all() }
func (d *drained) Cut(at units.Instant)     { d.Assembler.Cut(at); d.all() }
func (d *drained) Force(at units.Instant)   { d.Assembler.Force(at); d.all() }
func (d *drained) Suspend(at units.Instant) { d.Assembler.Suspend(at); d.all() }
func (d *drained) Resume(at units.Instant)  { d.Assembler.Resume(at); d.all() }
func (d *drained) Finish(at units.Instant)  { d.Assembler.Finish(at); d.all() }

// feed pushes events, cuts among them.
func feed(a *drained, events []Event) {
	for i := range events {
		if ev := &events[i]; ev.Kind == testCut {
			a.Cut(ev.At)
		} else {
			a.Push(ev)
		}
	}
}

// ordered passes events through a Reorder that gets one Tick at the end.
func ordered(events []Event, end int64) (out []Event, r *Reorder) {
	r = NewReorder(0, func(ev *Event) { out = append(out, *ev) })
	for i := range events {
		r.Push(&events[i])
	}
	r.Push(&Event{Kind: Tick, At: units.Instant(end)})
	return out, r
}

func differ(got, want []Epoch, holes bool) error {
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		g.Waits = Waits{} // TestWaits
		if !holes {
			g.Hole = w.Hole
		}
		if fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", w) {
			return fmt.Errorf("epoch %d:\n got %+v\nwant %+v", i, g, w)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d epochs, want %d", len(got), len(want))
	}
	return nil
}

func sumDur(epochs []Epoch) (sum Ticks) {
	for i := range epochs {
		sum += epochs[i].Dur
	}
	return sum
}

func TestAssemblerAgainstReference(t *testing.T) {
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newSchedule(rng)
		begin := s.now
		for range 1 + rng.IntN(120) {
			s.step()
		}
		end := s.now + rng.Int64N(3)
		events, reorder := ordered(s.arrivals(rng.Int64N(200)), end)
		events = withCuts(rng, events, begin)
		n := rng.IntN(MaxCounters + 1)
		a := newTestAssembler(t, Config{Counters: n})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(end))

		want := referenceEpochs(n, 0, begin, end, events)
		if err := differ(a.epochs, want, true); err != nil {
			t.Fatalf("seed %d, %d counters: %v", seed, n, err)
		}
		if sum := sumDur(a.epochs); int64(sum) != end-begin {
			t.Fatalf("seed %d: epochs add up to %d, want %d", seed, sum, end-begin)
		}
		st := a.Stats()
		if st.Adopted+st.Evicted+st.Late+reorder.Late()+reorder.early > 0 {
			t.Fatalf("seed %d: nothing was lost, yet %+v, %d late, %d early", seed, st,
				reorder.Late(), reorder.early)
		}
		checkConserved(t, seed, n, end, s, a.epochs)
	}
}

// checkConserved holds the sum of a thread's rows against the sum of its slices. Threads that
// changed their id are summed with the thread they became.
func checkConserved(t *testing.T, seed uint64, n int, end int64, s *schedule, epochs []Epoch) {
	t.Helper()
	var want, got [MaxCounters]int64
	for _, ev := range s.events {
		for i := range n {
			want[i] += int64(ev.Counters[i])
		}
	}
	open := 0
	for _, th := range s.cpus {
		if th != nil && th.from < end {
			open++
		}
	}
	for _, e := range epochs {
		if e.Hole && (open == 0 || n == 0) {
			t.Fatalf("seed %d: a hole without a loss: %+v", seed, e)
		}
		for _, r := range e.Rows {
			for i, v := range r.Values {
				got[i] += v
			}
		}
	}
	if got != want {
		t.Fatalf("seed %d: rows add up to %v, slices to %v", seed, got, want)
	}
}

func TestAssemblerWithLossesAgainstReference(t *testing.T) {
	holes := 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := newSchedule(rng)
		begin := s.now
		for range 1 + rng.IntN(120) {
			s.step()
		}
		arrived := spoil(rng, s.arrivals(rng.Int64N(200)))
		end := s.now + 100
		events, _ := ordered(arrived, end)
		n, resync := rng.IntN(MaxCounters+1), rng.Int64N(2)*rng.Int64N(300)
		a := newTestAssembler(t, Config{Counters: n, Resync: time.Duration(resync)})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(end))

		if err := differ(a.epochs, referenceEpochs(n, resync, begin, end, events),
			true); err != nil {
			t.Fatalf("seed %d, %d counters, resync %d: %v", seed, n, resync, err)
		}
		if sum := sumDur(a.epochs); int64(sum) != end-begin {
			t.Fatalf("seed %d: epochs add up to %d, want %d", seed, sum, end-begin)
		}
		for _, e := range a.epochs {
			if e.Hole {
				holes++
			}
		}
	}
	if holes == 0 {
		t.Fatal("no sequence had a hole")
	}
}
