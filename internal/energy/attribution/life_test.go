package attribution

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// TestRenamed: a thread that executes a program takes the id of its process's first thread, which
// has ended. Its line goes on, with what it ran under its own id, and whoever has that id later is
// another thread.
func TestRenamed(t *testing.T) {
	s := newScript(t, 0)
	s.runs(40, 0, 10*ms, epochs.OtherSleep, true)
	s.runs(41, 10*ms, 40*ms, epochs.OtherSleep, true)
	s.sched(epochs.Event{Kind: epochs.Exit, Thread: 40, At: at(41 * ms)})
	s.runs(40, 40*ms, 42*ms, epochs.Exited, false)
	// It began to run while the first thread was about to stop, on another CPU.
	s.waiting = append(s.waiting, stacks.Sample{At: at(43 * ms), Thread: 40, PID: 40,
		User: []uint64{1}})
	s.sched(epochs.Event{Kind: epochs.Exec, Thread: 40, By: 41, At: at(45 * ms)})
	s.sched(epochs.Event{Kind: epochs.Slice, Thread: 40, CPU: 1, From: at(41 * ms),
		At: at(60 * ms)})
	s.sched(epochs.Event{Kind: epochs.Fork, Thread: 41, By: 40, At: at(60 * ms)})
	s.runs(41, 60*ms, 70*ms, epochs.Exited, true)
	s.tick(100 * ms)
	s.sched(epochs.Event{Kind: epochs.Off, Thread: 40, From: at(60 * ms), At: at(90 * ms),
		Cause: epochs.Exited})
	s.tick(200 * ms)
	p := s.finish(200*ms,
		Named{TID: 40, PID: 40, Comm: "before", Ended: at(42 * ms), Created: 1},
		Named{TID: 41, PID: 40, Comm: "later", Ended: at(70 * ms), Created: at(60 * ms)},
		Named{TID: 40, PID: 40, Comm: "after", Ended: at(90 * ms), Created: 1})
	if len(p.Threads) != 2 {
		t.Fatalf("threads: %+v", p.Threads)
	}
	if one, other := p.Threads[0], p.Threads[1]; one.TID != 40 || one.Comm != "after" ||
		one.RunNS != int64(91*ms) || other.TID != 41 || other.Comm != "later" ||
		other.RunNS != int64(10*ms) {
		t.Errorf("threads: %+v", p.Threads)
	}
	samples := map[string]int{}
	for i := range p.Stacks {
		samples[p.Threads[p.Stacks[i].Thread].Comm] += p.Stacks[i].Samples
	}
	if samples["after"] != 3 || samples["later"] != 1 {
		t.Errorf("samples: %v", samples)
	}
}

// ran returns the thread of a slice that does not end one.
func (l *lives) ran(t epochs.TID, from, to units.Instant) epochs.TID {
	id, _ := l.runs(&epochs.Event{Kind: epochs.Slice, Thread: t, From: from, At: to})
	return id
}

// TestTheFirstStopsLate: a process's first thread can stop for the last time after another has
// taken its id. That ends the first one, and not the one that goes on.
func TestTheFirstStopsLate(t *testing.T) {
	for _, from := range []units.Instant{at(10 * ms), at(25 * ms)} { // or it was preempted there
		l := newLives()
		l.renamed(41, 40, at(20*ms))
		if id := l.ran(40, at(21*ms), at(24*ms)); id != 41 {
			t.Errorf("the other one's slice is %d's", id)
		}
		stop := epochs.Event{Kind: epochs.Off, Cause: epochs.Exited, Thread: 40, From: from,
			At: at(26 * ms)}
		if id, ends := l.runs(&stop); id != 40 || !ends {
			t.Errorf("the first one's stop is %d's, and ends it: %t", id, ends)
		}
		if id := l.ran(40, at(21*ms), at(27*ms)); id != 41 {
			t.Errorf("the other one's life ended with it: the id is %d's", id)
		}
		stop.From, stop.At = at(27*ms), at(28*ms)
		l.exits(40)
		if id, ends := l.runs(&stop); id != 41 || !ends {
			t.Errorf("the other one's stop is %d's, and ends it: %t", id, ends)
		}
	}
}

// TestTheFirstStoppedUnseen: where nobody saw it stop, the other one's stop is its own as well.
func TestTheFirstStoppedUnseen(t *testing.T) {
	l := newLives()
	l.renamed(41, 40, at(20*ms))
	l.exits(40)
	stop := epochs.Event{Kind: epochs.Off, Cause: epochs.Exited, Thread: 40, From: at(20 * ms),
		At: at(26 * ms)}
	if id, ends := l.runs(&stop); id != 41 || !ends {
		t.Errorf("its stop is %d's, and ends it: %t", id, ends)
	}
}

// TestTheFirstIsReleased: such a first thread is released as every thread that ends.
func TestTheFirstIsReleased(t *testing.T) {
	s := newScript(t, 0)
	s.cfg.Ended = func(epochs.TID) (int, string) { return 40, "program" }
	s.runs(40, 0, 10*ms, epochs.OtherSleep, true)
	s.runs(41, 10*ms, 40*ms, epochs.OtherSleep, true)
	s.sched(epochs.Event{Kind: epochs.Exec, Thread: 40, By: 41, CPU: 1, At: at(45 * ms)})
	s.sched(epochs.Event{Kind: epochs.Off, Thread: 40, From: at(40 * ms), At: at(46 * ms),
		Cause: epochs.Exited})
	s.tick(100 * ms)
	s.sched(epochs.Event{Kind: epochs.Exit, Thread: 40, CPU: 1, At: at(89 * ms)})
	s.sched(epochs.Event{Kind: epochs.Off, Thread: 40, CPU: 1, From: at(45 * ms), At: at(90 * ms),
		Cause: epochs.Exited})
	s.tick(200 * ms)
	s.tick(300 * ms)
	for id, m := range s.people.all {
		if m.ended == 0 || m.process != id {
			t.Errorf("thread %d: %+v", id, *m)
		}
	}
	if gone := s.people.gone; gone != 2 || len(s.people.all) != 2 {
		t.Errorf("%d of %d have gone", gone, len(s.people.all))
	}
}

// TestRenamedIsForgotten: nothing is kept of a thread that had two ids, one after the other.
func TestRenamedIsForgotten(t *testing.T) {
	l := newLives()
	l.ended(40, at(10*ms))
	l.renamed(41, 40, at(20*ms))
	l.created(41, at(30*ms))
	later := l.ended(41, at(40*ms))
	second := l.ended(40, at(50*ms))
	if second == 40 || second == later || l.number(second) != 40 || l.number(later) != 41 {
		t.Errorf("the lives are %d and %d, of %d and %d", second, later, l.number(second),
			l.number(later))
	}
	for _, id := range []epochs.TID{later, second, 40} {
		l.forget(id)
	}
	if len(l.of)+len(l.kernel)+len(l.former) != 0 {
		t.Errorf("%+v is kept", l)
	}
}
