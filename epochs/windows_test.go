package epochs

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

func on(at units.Instant, cpu int16, tid TID, cause Cause, by TID) Event {
	return Event{Kind: On, At: at, CPU: cpu, Thread: tid, Cause: cause, By: by}
}

func off(
	at units.Instant, cpu int16, tid TID, from units.Instant, cause Cause, count uint64,
) Event {
	return Event{Kind: Off, At: at, From: from, CPU: cpu, Thread: tid, Cause: cause, By: NoThread,
		Counters: [MaxCounters]uint64{count}}
}

func slice(at units.Instant, cpu int16, tid TID, from units.Instant, count uint64) Event {
	return Event{Kind: Slice, At: at, From: from, CPU: cpu, Thread: tid,
		Counters: [MaxCounters]uint64{count}}
}

func mustEqual(t *testing.T, got, want []Epoch) {
	t.Helper()
	if err := differ(got, want, true); err != nil {
		t.Error(err)
	}
}

func row(tid TID, count int64) Row { return Row{Thread: tid, Values: []int64{count}} }

// TestFigure1 is the example of DEP+BURST, figure 1: t1 waits for a lock that t0 holds.
func TestFigure1(t *testing.T) {
	a := newTestAssembler(t, Config{Counters: 1})
	a.Begin(0)
	feed(a, []Event{
		on(0, 0, 10, Seen, NoThread), on(0, 1, 11, Seen, NoThread),
		off(100, 1, 11, 0, FutexSleep, 1000),
		on(150, 1, 11, Woken, 10),
		off(300, 0, 10, 0, Exited, 301),
		off(300, 1, 11, 150, Exited, 30),
	})
	a.Finish(300)
	mustEqual(t, a.epochs, []Epoch{
		{ID: 0, Start: 0, Dur: 100, Rows: []Row{row(10, 100), row(11, 1000)},
			Ends: []End{{Kind: EndSleep, Thread: 11, By: NoThread}}},
		{ID: 1, Start: 100, Dur: 50, Rows: []Row{row(10, 50)},
			Ends: []End{{Kind: EndWake, Thread: 11, By: 10}}},
		{ID: 2, Start: 150, Dur: 150, Rows: []Row{row(10, 151), row(11, 30)},
			Ends: []End{{Kind: EndExit, Thread: 10, By: NoThread},
				{Kind: EndExit, Thread: 11, By: NoThread},
				{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	})
}

// TestQuantumEnd has a slice that ends only after the quantum: the quantum's epochs wait for it, or
// are forced out.
func TestQuantumEnd(t *testing.T) {
	run := func(counters int, force bool) *drained {
		a := newTestAssembler(t, Config{Counters: counters})
		a.Begin(0)
		feed(a, []Event{on(0, 0, 1, Seen, NoThread)})
		a.Cut(100)
		if a.Complete(100) != (counters == 0) {
			t.Errorf("%d counters: Complete is %v before the slice ends", counters, a.Complete(100))
		}
		if force {
			a.Force(100)
		}
		feed(a, []Event{slice(150, 0, 1, 0, 15)})
		if !a.Complete(100) {
			t.Errorf("%d counters: not complete", counters)
		}
		a.Cut(200)
		feed(a, []Event{off(220, 0, 1, 150, OtherSleep, 7), {Kind: Tick, At: 230}})
		a.Finish(240)
		return a
	}
	cut := []End{{Kind: EndCut, Thread: NoThread, By: NoThread}}
	want := []Epoch{
		{ID: 0, Start: 0, Dur: 100, Rows: []Row{row(1, 10)}, Ends: cut},
		{ID: 1, Start: 100, Dur: 100, Rows: []Row{row(1, 10)}, Ends: cut},
		{ID: 2, Start: 200, Dur: 20, Rows: []Row{row(1, 2)},
			Ends: []End{{Kind: EndOtherSleep, Thread: 1, By: NoThread}}},
		{ID: 3, Start: 220, Dur: 20, Ends: []End{{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	}
	mustEqual(t, run(1, false).epochs, want)

	a := run(1, true)
	want[0].Rows, want[0].Hole = []Row{row(1, 0)}, true
	mustEqual(t, a.epochs, want)
	if a.Stats().Forced != 1 || a.Stats().Holes != 1 {
		t.Errorf("forced out: %+v", a.Stats())
	}

	want[0].Hole = false
	for i := range want {
		for j := range want[i].Rows {
			want[i].Rows[j].Values = nil
		}
	}
	mustEqual(t, run(0, false).epochs, want)
}

// TestSliceAfterForce has a slice close whose first epoch was given up: the later ones get their
// own share.
func TestSliceAfterForce(t *testing.T) {
	a := newTestAssembler(t, Config{Counters: 1})
	a.Begin(0)
	feed(a, []Event{on(0, 0, 1, Seen, NoThread)})
	a.Cut(100)
	a.Force(100)
	feed(a, []Event{
		on(120, 1, 2, Woken, 1), off(140, 1, 2, 120, FutexSleep, 5),
		off(200, 0, 1, 0, FutexSleep, 200),
	})
	a.Finish(200)
	mustEqual(t, a.epochs, []Epoch{
		{ID: 0, Start: 0, Dur: 100, Rows: []Row{row(1, 0)},
			Ends: []End{{Kind: EndCut, Thread: NoThread, By: NoThread}}, Hole: true},
		{ID: 1, Start: 100, Dur: 20, Rows: []Row{row(1, 20)},
			Ends: []End{{Kind: EndWake, Thread: 2, By: 1}}},
		{ID: 2, Start: 120, Dur: 20, Rows: []Row{row(1, 20), row(2, 5)},
			Ends: []End{{Kind: EndSleep, Thread: 2, By: NoThread}}},
		{ID: 3, Start: 140, Dur: 60, Rows: []Row{row(1, 60)},
			Ends: []End{{Kind: EndSleep, Thread: 1, By: NoThread},
				{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	})
}

func TestWindows(t *testing.T) {
	a := newTestAssembler(t, Config{Counters: 1})
	a.Begin(0)
	feed(a, []Event{on(0, 0, 1, Seen, NoThread), on(0, 1, 2, Seen, NoThread)})
	a.Suspend(100)
	feed(a, []Event{
		slice(110, 0, 1, 0, 11),
		on(120, 2, 9, Woken, 1), // outside of a window
		{Kind: Fork, At: 130, Thread: 3, By: 1},
	})
	a.Resume(500)
	feed(a, []Event{
		on(502, 0, 1, Seen, NoThread),
		on(510, 1, 3, Started, NoThread),
		off(520, 1, 3, 510, FutexSleep, 4),
		slice(600, 0, 1, 502, 98),
	})
	a.Suspend(600)
	a.Finish(900)
	mustEqual(t, a.epochs, []Epoch{
		// Of thread 2 nothing came before the next window.
		{ID: 0, Start: 0, Dur: 100, Rows: []Row{row(1, 10), row(2, 0)},
			Ends: []End{{Kind: EndCut, Thread: NoThread, By: NoThread}}, Hole: true},
		{ID: 1, Start: 500, Dur: 2, Ends: []End{{Kind: EndResume, Thread: 1, By: NoThread}}},
		{ID: 2, Start: 502, Dur: 8, Rows: []Row{row(1, 8)},
			Ends: []End{{Kind: EndStart, Thread: 3, By: 1}}},
		{ID: 3, Start: 510, Dur: 10, Rows: []Row{row(1, 10), row(3, 4)},
			Ends: []End{{Kind: EndSleep, Thread: 3, By: NoThread}}},
		{ID: 4, Start: 520, Dur: 80, Rows: []Row{row(1, 80)},
			Ends: []End{{Kind: EndCut, Thread: NoThread, By: NoThread}}},
	})
}

// TestExecBetweenWindows: a thread takes the first one's id while both have yet to close what was
// open when the window ended. Each closes its own.
func TestExecBetweenWindows(t *testing.T) {
	for _, last := range []TID{1, 2} { // by either id the first thread's last record comes
		a := newTestAssembler(t, Config{Counters: 1})
		a.Begin(0)
		feed(a, []Event{on(0, 0, 1, Seen, NoThread), on(0, 1, 2, Seen, NoThread)})
		a.Suspend(100)
		feed(a, []Event{
			{Kind: Exec, At: 105, Thread: 1, By: 2, CPU: 1},
			off(110, 0, last, 0, FutexSleep, 11),
			slice(120, 1, 1, 0, 24),
		})
		a.Resume(500)
		a.Finish(500)
		mustEqual(t, a.epochs, []Epoch{{ID: 0, Start: 0, Dur: 100,
			Rows: []Row{row(1, 10), row(2, 20)},
			Ends: []End{{Kind: EndCut, Thread: NoThread, By: NoThread}}}})
	}
}

// TestThreadKnownLater has a thread that ran when time began, though nothing said so: no record is
// missing.
func TestThreadKnownLater(t *testing.T) {
	a := newTestAssembler(t, Config{Counters: 1})
	a.Begin(1000)
	feed(a, []Event{off(1100, 0, 1, 900, FutexSleep, 200)})
	a.Finish(1200)
	mustEqual(t, a.epochs, []Epoch{
		{ID: 0, Start: 1000, Dur: 100, Rows: []Row{row(1, 100)},
			Ends: []End{{Kind: EndSleep, Thread: 1, By: NoThread}}},
		{ID: 1, Start: 1100, Dur: 100, Ends: []End{{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	})
}

// TestLossHeals loses the Off of a thread: its epochs are holes until it cannot be running any
// more.
func TestLossHeals(t *testing.T) {
	a := newTestAssembler(t, Config{Resync: 50 * time.Nanosecond})
	a.Begin(0)
	feed(a, []Event{
		on(0, 0, 1, Seen, NoThread), on(0, 1, 2, Seen, NoThread),
		{Kind: Tick, At: 10},
		{Kind: Lost, At: 20, From: 10, Count: 3},
		off(40, 1, 2, 0, FutexSleep, 0),
		on(100, 1, 2, Woken, NoThread),
		off(140, 1, 2, 100, FutexSleep, 0),
	})
	a.Finish(200)
	mustEqual(t, a.epochs, []Epoch{
		{ID: 0, Start: 0, Dur: 40, Rows: []Row{{Thread: 1}, {Thread: 2}},
			Ends: []End{{Kind: EndSleep, Thread: 2, By: NoThread}}, Hole: true},
		{ID: 1, Start: 40, Dur: 30, Rows: []Row{{Thread: 1}}, Hole: true},
		{ID: 2, Start: 70, Dur: 30, Ends: []End{{Kind: EndWake, Thread: 2, By: NoThread}}},
		{ID: 3, Start: 100, Dur: 40, Rows: []Row{{Thread: 2}},
			Ends: []End{{Kind: EndSleep, Thread: 2, By: NoThread}}},
		{ID: 4, Start: 140, Dur: 60, Ends: []End{{Kind: EndRun, Thread: NoThread, By: NoThread}}},
	})
	if st := a.Stats(); st.Lost != 3 || st.Evicted != 1 {
		t.Errorf("%+v", st)
	}
}
