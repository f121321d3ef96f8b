package epochs

import (
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// stay is a thread's time off the CPUs, as a plain list has it.
type stay struct {
	from, to Ticks
	cause    Cause
	on       *Event // what ended it; nil for one that goes on
}

// stays are those of the events, by thread, up to end.
func stays(events []Event, end Ticks) []stay {
	var list []stay
	open := map[TID]int{}
	for i := range events {
		ev := &events[i]
		switch ev.Kind {
		case Off:
			if ev.Cause != Exited {
				open[ev.Thread] = len(list)
				list = append(list, stay{from: Ticks(ev.At), to: end, cause: ev.Cause})
			}
		case On:
			if k, ok := open[ev.Thread]; ok {
				list[k].to, list[k].on = Ticks(ev.At), ev
				delete(open, ev.Thread)
			}
		case Exec: // the leader sleeps no more
			delete(open, ev.Thread)
		}
	}
	return list
}

// TestWaits compares what epochs and an Assembler say of waits with a plain list of the threads'
// stays off the CPUs.
func TestWaits(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := newSchedule(rng)
		begin := s.now
		for range 1 + rng.IntN(200) {
			s.step()
		}
		end := s.now + 100
		events, _ := ordered(s.arrivals(rng.Int64N(50)), end)
		if len(events) > 0 && hasExec(events) {
			continue // the list does not follow names
		}
		a := newTestAssembler(t, Config{})
		a.Begin(units.Instant(begin))
		feed(a, events)
		var want Waits
		all := stays(events, Ticks(end))
		for _, x := range all {
			woken := x.to
			if x.on != nil && x.on.Cause == Woken && x.on.WokenAt > 0 {
				woken = min(max(Ticks(x.on.WokenAt), x.from), x.to)
			}
			switch {
			case x.cause == Preempted:
				want.Runnable += x.to - x.from
			case x.cause == Throttled:
				want.Throttled += x.to - x.from
			case x.on == nil && x.cause == FutexSleep, x.on != nil && x.on.By != NoThread:
				want.Program += woken - x.from
			default:
				want.World += woken - x.from
			}
			want.Runnable += x.to - max(woken, x.from)
		}
		if got := a.Waits(); got != want {
			t.Fatalf("seed %d: in all %+v, want %+v", seed, got, want)
		}
		a.Finish(units.Instant(end))
		for _, e := range a.epochs {
			var want Waits
			for _, x := range all {
				if x.from > e.Start || x.to < e.Start+e.Dur || x.from == x.to {
					continue
				}
				switch x.cause {
				case Preempted:
					want.Runnable += e.Dur
				case Throttled:
					want.Throttled += e.Dur
				case FutexSleep:
					want.Program += e.Dur
				default:
					want.World += e.Dur
				}
			}
			if e.Waits != want {
				t.Fatalf("seed %d, epoch %d: %+v, want %+v", seed, e.ID, e.Waits, want)
			}
		}
	}
}

func hasExec(events []Event) bool {
	for i := range events {
		if events[i].Kind == Exec {
			return true
		}
	}
	return false
}

// TestWaitsOfManyThreads: threads that end leave no trace, however their ids collide.
func TestWaitsOfManyThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	var w waits
	want := map[TID]Cause{}
	for range 20000 {
		tid := TID(rng.IntN(300))
		c := []Cause{Preempted, Throttled, FutexSleep, OtherSleep, Exited}[rng.IntN(5)]
		w.begin(tid, c, 0)
		if want[tid] = c; c == Exited {
			delete(want, tid)
		}
		var sum Waits
		for _, c := range want {
			switch c {
			case Preempted:
				sum.Runnable++
			case Throttled:
				sum.Throttled++
			case FutexSleep:
				sum.Program++
			default:
				sum.World++
			}
		}
		if got := w.during(1); got != sum || w.n != len(want) {
			t.Fatalf("%+v of %d threads, want %+v of %d", got, w.n, sum, len(want))
		}
	}
}
