package coalesce

import (
	"testing"
	"time"
)

const quantum = 5 * time.Millisecond

// steady is a quantum of a thread that computes: 2 instructions a ns, at a clock that loses extra.
func steady(extra float64) *Quantum {
	return &Quantum{Work: Work{Time: quantum, Run: quantum, Counted: quantum, Switches: 2,
		Instructions: 10e6, Requests: 1000}, Took: 5e6, After: 5e6, Max: 5e6 / (1 + extra),
		Sound: true}
}

// seen is a watch that has seen n steady quanta.
func seen(n int) *Watch {
	w := &Watch{Config: Config{Quantum: quantum, Longest: 8, Budget: 0.05}}
	for range n {
		w.Next(steady(0))
	}
	return w
}

// TestRestsGrow: after enough of the run, rests begin and get longer, up to the longest.
func TestRestsGrow(t *testing.T) {
	w := seen(0)
	for i := range 2 * ofRun {
		if n, _ := w.Next(steady(0)); n > 1 && i < 2*ofRun-1 {
			t.Fatalf("a rest of %d quanta after %d", n, i+1)
		}
	}
	w = seen(1000)
	if n, _ := w.Next(steady(0)); n != 8 {
		t.Errorf("a rest of %d quanta after 1000", n)
	}
	if n, _ := seen(0).Next(steady(0)); n != 1 {
		t.Errorf("a rest of %d quanta at once", n)
	}
	none := &Watch{Config: Config{Quantum: quantum, Budget: 0.05}}
	for range 1000 {
		if n, _ := none.Next(steady(0)); n != 1 {
			t.Fatalf("a rest of %d quanta, none are allowed", n)
		}
	}
	long := &Watch{Config: Config{Quantum: 30 * time.Millisecond, Longest: 100, Budget: 0.05}}
	for range 10000 {
		if n, _ := long.Next(steady(0)); n > 3 {
			t.Fatalf("a rest of %d quanta of 30 ms", n)
		}
	}
}

// TestRestsEnd: whatever is unlike the forecast, or says that the rest was ended, ends the rests
// for some quanta.
func TestRestsEnd(t *testing.T) {
	for name, change := range map[string]func(*Quantum){
		"broken":       func(q *Quantum) { q.Broken = true },
		"unsound":      func(q *Quantum) { q.Sound = false },
		"run":          func(q *Quantum) { q.Run, q.Counted = quantum/2, quantum/2 },
		"switches":     func(q *Quantum) { q.Switches = 12 },
		"instructions": func(q *Quantum) { q.Instructions = 8e6 },
		"requests":     func(q *Quantum) { q.Requests = 4000 },
		"stopped":      func(q *Quantum) { q.Instructions, q.Requests = 0, 0 },
	} {
		w := seen(1000)
		q := steady(0)
		change(q)
		if n, _ := w.Next(q); n != 1 {
			t.Errorf("%s: a rest of %d quanta", name, n)
		}
		for i := range holds - 1 {
			if n, _ := w.Next(steady(0)); n != 1 {
				t.Errorf("%s: a rest of %d quanta after %d", name, n, i+1)
			}
		}
	}
}

// TestForecastFollowsTheClock: at a lower clock the same work takes longer, and that is expected.
func TestForecastFollowsTheClock(t *testing.T) {
	w := seen(1000)
	q := steady(0)
	q.After = 6e6
	w.Next(q)
	slower := Work{Time: quantum, Run: quantum, Counted: quantum, Switches: 2,
		Instructions: 8_333_333, Requests: 833}
	if !w.forecast.Hold(&slower) {
		t.Errorf("%+v are not within %+v", slower, w.forecast)
	}
	if same := steady(0); w.forecast.Hold(&same.Work) {
		t.Errorf("%+v are within %+v", same.Work, w.forecast)
	}
}

// TestRestsOverspendLittle: a rest at a clock that loses more than the budget is short, unless time
// is left to be spent.
func TestRestsOverspendLittle(t *testing.T) {
	rest := func(extra, slack float64) int {
		w := seen(1000)
		for range holds {
			w.Next(steady(extra))
		}
		q := steady(extra)
		q.Slack = slack
		n, _ := w.Next(q)
		return n
	}
	if n := rest(0.05, 0); n != 8 {
		t.Errorf("within the budget: %d quanta", n)
	}
	if n := rest(0.3, -3e6); n != 1 {
		t.Errorf("in debt: %d quanta", n)
	}
	if n := rest(0.3, 0); n < 2 || n > 3 { // 2.5 ms may be lost, 1 ms is in a quantum
		t.Errorf("with nothing left: %d quanta", n)
	}
	if n := rest(0.3, 1e9); n != 8 {
		t.Errorf("with much left: %d quanta", n)
	}
}

// TestCostlyRests: where the governor costs more than the budget, rests at the highest frequency
// are the longest, and nothing ends them.
func TestCostlyRests(t *testing.T) {
	w := seen(0)
	for i := range 30 {
		q := steady(0)
		q.Own, q.Highest, q.Sound = quantum/10, true, false
		n, within := w.Next(q)
		if want := time.Duration(i+1)*quantum >= ownAfter; (n == 8) != want {
			t.Errorf("%d quanta after %d", n, i+1)
		} else if want && within != open() {
			t.Errorf("within %+v", within)
		}
	}
	q := steady(0)
	if n, _ := w.Next(q); n != 1 {
		t.Errorf("%d quanta below the highest frequency", n)
	}
}

// TestNothingIsWithinBounds: what did not run, or counted nothing, is no reason to look.
func TestNothingIsWithinBounds(t *testing.T) {
	b := around(&steady(0).Work, quantum)
	if !b.Hold(&Work{}) {
		t.Error("no time is out of bounds")
	}
	if !b.Hold(&Work{Time: quantum, Run: quantum, Switches: 2}) {
		t.Error("what is not counted is out of bounds")
	}
}
