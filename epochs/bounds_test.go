package epochs

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestPendingIsBounded has a slice that never ends: the epochs it spans may not pile up.
func TestPendingIsBounded(t *testing.T) {
	var last *Epoch
	n, sum := 0, Ticks(0)
	a := newTestAssembler(t, Config{Counters: 6, MaxEpochs: 100})
	a.take = func(e *Epoch) {
		n++
		sum += e.Dur
		last = e
		if !e.Hole {
			t.Fatalf("no hole without counters: %+v", e)
		}
	}
	a.Begin(0)
	a.Push(&Event{Kind: On, Thread: 1, Cause: Seen})
	at := units.Instant(0)
	for range 5000 {
		at += 10
		a.Push(&Event{Kind: On, At: at, CPU: 1, Thread: 2, Cause: Woken})
		at += 10
		a.Push(&Event{Kind: Off, At: at, CPU: 1, Thread: 2, From: at - 10, Cause: FutexSleep})
		if waiting := int(a.pending.tail - a.pending.head); waiting > 100 {
			t.Fatalf("%d epochs wait", waiting)
		}
	}
	a.Finish(at)
	if n != 10000 || sum != Ticks(at) || last.ID != 9999 {
		t.Errorf("%d epochs of %d in sum; last is %+v", n, sum, last)
	}
}

// TestUntakenAreBounded has nobody take epochs: the newest are kept, and those are whole.
func TestUntakenAreBounded(t *testing.T) {
	a, err := NewAssembler(Config{Counters: 1, MaxEpochs: 100, MaxRows: 1})
	if err != nil {
		t.Fatal(err)
	}
	a.Begin(0)
	at := units.Instant(0)
	for range 20 * MaxRunning {
		a.Push(&Event{Kind: On, At: at, Thread: 1, Cause: Woken})
		at += 10
		a.Push(&Event{Kind: Off, At: at, Thread: 1, From: at - 10, Cause: FutexSleep,
			Counters: [MaxCounters]uint64{7}})
		a.Cut(at)
	}
	if n := len(a.pending.epochs); n > 256 {
		t.Errorf("room for %d epochs", n)
	}
	next := at
	for e := a.Next(); e != nil; e = a.Next() {
		if next == at {
			next = units.Instant(e.Start)
		}
		if units.Instant(e.Start) != next || e.Hole || len(e.Rows) != 1 ||
			e.Rows[0].Values[0] != 7 {
			t.Fatalf("at %d: %+v", next, e)
		}
		next += 10
	}
	if next != at {
		t.Errorf("the last ends at %d, not %d", next, at)
	}
}

// TestRunningIsBounded makes up more threads than there can be CPUs.
func TestRunningIsBounded(t *testing.T) {
	a := newTestAssembler(t, Config{})
	a.Begin(0)
	for i := range 3 * MaxRunning {
		a.Push(&Event{Kind: On, At: 1, CPU: -1, Thread: TID(i), Cause: Started})
		a.Push(&Event{Kind: Fork, At: 1, CPU: -1, Thread: TID(i + 1e6), By: TID(i)})
	}
	if n := len(a.threads.order); n > MaxRunning {
		t.Errorf("%d threads run", n)
	}
	if n := len(a.forked); n > maxForked {
		t.Errorf("%d forks are remembered", n)
	}
	a.Finish(2)
	if len(a.epochs) != 2 || !a.epochs[0].Hole || len(a.epochs[0].Ends) != maxEnds {
		t.Errorf("%d epochs, %d ends", len(a.epochs), len(a.epochs[0].Ends))
	}
}

// TestRingsGrow compares an assembler whose rings have to grow and wrap often with the reference.
func TestRingsGrow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := newSchedule(rng)
		begin := s.now
		for range 3000 {
			s.step()
		}
		events, _ := ordered(s.arrivals(100), s.now)
		var ticked []Event
		for i, ev := range events {
			if i > 0 && rng.IntN(1+int(seed)*10) == 0 && events[i-1].At < ev.At {
				ticked = append(ticked, Event{Kind: Tick, At: events[i-1].At, Thread: NoThread})
			}
			ticked = append(ticked, ev)
		}
		a := newTestAssembler(t, Config{Counters: 3})
		a.Begin(units.Instant(begin))
		feed(a, ticked)
		a.Finish(units.Instant(s.now))
		if err := differ(a.epochs, referenceEpochs(3, 0, begin, s.now, events),
			true); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestNoAllocations holds the promise of the hot path.
func TestNoAllocations(t *testing.T) {
	events, period := contention(8)
	a := newTestAssembler(t, Config{Counters: MaxCounters})
	a.take = func(*Epoch) {}
	r := NewReorder(0, a.Push)
	a.Begin(0)
	shift := units.Instant(0)
	ev := new(Event)
	allocs := testing.AllocsPerRun(50, func() {
		for i := range events {
			*ev = events[i]
			ev.At += shift
			ev.From += shift
			r.Push(ev)
		}
		shift += period
		a.Cut(shift)
	})
	if allocs != 0 {
		t.Errorf("%v allocations in %d events", allocs, len(events))
	}
}

func TestNewAssemblerRefuses(t *testing.T) {
	for _, n := range []int{-1, MaxCounters + 1} {
		if _, err := NewAssembler(Config{Counters: n}); err == nil {
			t.Errorf("%d counters are accepted", n)
		}
	}
}
