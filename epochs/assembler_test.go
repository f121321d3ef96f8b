package epochs

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// collector keeps copies of emitted epochs.
type collector struct{ epochs []Epoch }

func (c *collector) emit(e *Epoch) { c.epochs = append(c.epochs, e.Clone()) }

func newTestAssembler(t testing.TB, c Config) (*Assembler, *collector) {
	t.Helper()
	col := &collector{}
	a, err := NewAssembler(c, col.emit)
	if err != nil {
		t.Fatal(err)
	}
	return a, col
}

// feed pushes events, cuts among them.
func feed(a *Assembler, events []Event) {
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
		a, col := newTestAssembler(t, Config{Counters: n})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(end))

		want := referenceEpochs(n, 0, begin, end, events)
		if err := differ(col.epochs, want, true); err != nil {
			t.Fatalf("seed %d, %d counters: %v", seed, n, err)
		}
		if sum := sumDur(col.epochs); int64(sum) != end-begin {
			t.Fatalf("seed %d: epochs add up to %d, want %d", seed, sum, end-begin)
		}
		st := a.Stats()
		if st.Adopted+st.Evicted+st.Late+reorder.Late()+reorder.Early() > 0 {
			t.Fatalf("seed %d: nothing was lost, yet %+v, %d late, %d early", seed, st,
				reorder.Late(), reorder.Early())
		}
		checkConserved(t, seed, n, end, s, col.epochs)
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
		a, col := newTestAssembler(t, Config{Counters: n, Resync: time.Duration(resync)})
		a.Begin(units.Instant(begin))
		feed(a, events)
		a.Finish(units.Instant(end))

		if err := differ(col.epochs, referenceEpochs(n, resync, begin, end, events),
			true); err != nil {
			t.Fatalf("seed %d, %d counters, resync %d: %v", seed, n, resync, err)
		}
		if sum := sumDur(col.epochs); int64(sum) != end-begin {
			t.Fatalf("seed %d: epochs add up to %d, want %d", seed, sum, end-begin)
		}
		for _, e := range col.epochs {
			if e.Hole {
				holes++
			}
		}
	}
	if holes == 0 {
		t.Fatal("no sequence had a hole")
	}
}
