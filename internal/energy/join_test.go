package energy

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestJoining has Chappie's joining by hand: 200 slots of 0.5 ms in a window, 2 nJ each. Samples
// are at 20 ms (stack 1), 60 ms (stack 2) and, in the next window, 145 ms (stack 3). Another thread
// runs at the second window's probe and was never sampled.
func TestJoining(t *testing.T) {
	rule, err := NewRule(Chappie, RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	l := New([]Zone{{Name: "package-0", CPUs: []CPU{0, 1}}}, rule, 10*ms)
	at := func(d time.Duration) units.Instant { return units.Instant(d) }
	book := func(from, to time.Duration, used units.Energy, samples []Sample, who ...epochs.TID) {
		t.Helper()
		w := Window{From: at(from), To: at(to), Used: []units.Energy{used}, Samples: samples}
		for i, x := range who {
			w.Runs = append(w.Runs, Run{Thread: x, CPU: CPU(i), Alone: 5 * ms, Probed: true})
		}
		if err := l.Book(&w); err != nil {
			t.Fatal(err)
		}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
	}
	book(0, 100*ms, 400, []Sample{{Thread: 7, At: at(60 * ms), Stack: 2},
		{Thread: 7, At: at(20 * ms), Stack: 1}}, 7)
	// Up to 40 ms the first is nearer, up to 80 ms nothing nearer than the second can come.
	if e := l.Entries()[Unit{Thread: 7, Stack: 1}]; e.Energy[0] != 160 {
		t.Errorf("the first stack has %v", e.Energy)
	}
	if e := l.Entries()[Unit{Thread: 7, Stack: 2}]; e.Energy[0] != 160 {
		t.Errorf("the second stack has %v", e.Energy)
	}
	book(100*ms, 200*ms, 800, []Sample{{Thread: 7, At: at(145 * ms), Stack: 3}}, 7, 9)
	book(200*ms, 300*ms, 0, nil)
	l.Finish()
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	for u, want := range map[Unit]units.Energy{
		// The middle between 60 and 145 ms is 102.5: until there 80 nJ of the first window and 10.
		{Thread: 7, Stack: 1}: 160, {Thread: 7, Stack: 2}: 160 + 80 + 10,
		// From there to 145 + 50 ms, at 4 nJ each ms.
		{Thread: 7, Stack: 3}: 370,
		// No stack is within 50 ms of the last 5 ms, and none of the other thread's.
		{Thread: 7, Stack: NoStack}: 20, {Thread: 9, Stack: NoStack}: 400,
	} {
		if e := l.Entries()[u]; e == nil || e.Energy[0] != want {
			t.Errorf("%+v: %+v, want %d", u, e, want)
		}
	}
	if n := len(l.joining.waiting) + len(l.joining.samples) + len(l.pending); n != 0 {
		t.Errorf("%d things are kept", n)
	}
}
