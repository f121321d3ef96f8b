package coalesce

import (
	"slices"
	"testing"
)

// displaced is a steady quantum in which others had the CPU for half of the time.
func displaced() *Quantum {
	q := steady(0)
	q.Run, q.Counted, q.Ready, q.Switches = quantum/2, quantum/2, quantum/2, 8
	q.Instructions, q.Requests = q.Instructions/2, q.Requests/2
	return q
}

// broken is the part of a rest before a change.
func broken() *Quantum {
	q := steady(0)
	q.Broken = true
	return q
}

// rested is a watch whose last rest was of 8 quanta.
func rested() *Watch {
	w := seen(1000)
	w.Next(steady(0))
	return w
}

// TestRestsGoOnBehindOthers: where others have the program's CPU, the next rest is as long as the
// last was, and wants the program to do as before. They may end it a few times. Then rests go on.
func TestRestsGoOnBehindOthers(t *testing.T) {
	for n := 1; n < holds; n++ {
		w := rested()
		w.Next(broken())
		for range n {
			quanta, within := w.Next(displaced())
			if quanta != 8 || !within.Hold(&steady(0).Work) || within.Hold(&displaced().Work) {
				t.Errorf("a rest of %d quanta after one with others, within %+v", quanta, within)
			}
		}
		if quanta, _ := w.Next(steady(0)); quanta != 8 {
			t.Errorf("a rest of %d quanta after %d in which others ran", quanta, n)
		}
	}
	again := rested()
	for range 10 { // others come again and again, and the program goes on between them
		again.Next(broken())
		if quanta, _ := again.Next(displaced()); quanta != 8 {
			t.Errorf("a rest of %d quanta after others that came again", quanta)
		}
	}
	w := rested()
	first := displaced() // at once, so that no part of the rest was as before
	first.Broken = true
	w.Next(first)
	if quanta, _ := w.Next(steady(0)); quanta != 8 {
		t.Errorf("a rest of %d quanta after one that others ended at once", quanta)
	}
}

// TestChangesEndRests: a program that changed, or that others held up for long, must show anew that
// it is steady.
func TestChangesEndRests(t *testing.T) {
	slower := steady(0)
	slower.Instructions = slower.Instructions * 3 / 4
	asleep := displaced()
	asleep.Ready = 0
	unsound := displaced()
	unsound.Sound = false
	for name, between := range map[string][]*Quantum{
		"nobody else ran":        {broken()},
		"others, then a change":  {broken(), displaced(), slower},
		"a change, then others":  {broken(), slower, displaced()},
		"it slept":               {broken(), asleep},
		"a record was lost":      {broken(), unsound},
		"others for many quanta": slices.Repeat([]*Quantum{displaced()}, returning+1),
	} {
		w := rested()
		for _, q := range between {
			w.Next(q)
		}
		for i := range holds - 1 {
			if quanta, _ := w.Next(steady(0)); quanta != 1 {
				t.Errorf("%s: a rest of %d quanta after %d", name, quanta, i+1)
			}
		}
	}
}
