package energy

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestInstructions: a thread takes 5 W and 1.5 nJ for each instruction. A function that retires a
// tenth of what its neighbours do gets what it took and not its part by time, once the run's own
// windows have shown what an instruction takes. Where power does not follow them, they say nothing.
func TestInstructions(t *testing.T) {
	random := devtest.Rand(t)
	const few, many = 0.4, 4.0 // instructions in a ns
	odd := 2 * time.Millisecond
	for _, follows := range []bool{true, false} {
		l := NewThreadLine()
		for i := range 40 {
			share := 0.02 + 0.5*random.Float64() // of the window in functions with few
			if !follows {
				share = 0.1 + 0.3*float64(i%2)
			}
			n := (share*few + (1-share)*many) * float64(window)
			e := 5*float64(window) + 1.5*n
			if !follows {
				e = (5 + 10*float64(i/2%2)) * float64(window)
			}
			from := units.Instant(i) * units.Instant(window)
			l.Book(7, &Stretch{From: from, To: from.Add(window), Run: window, Clock: 3e9,
				Energy: units.Energy(e), Instructions: n})
		}
		begin := 30 * units.Instant(window)
		p, ok := l.Find(7, begin, begin.Add(odd), odd, few*float64(odd))
		by, want := p.At(l.PerInstruction()), (5+1.5*few)*float64(odd)
		if !follows {
			want = float64(p.At(0))
		}
		if !ok || math.Abs(float64(by)/want-1) > 0.001 {
			t.Errorf("follows %v: %v, by time %v, not %v; %v nJ an instruction", follows, by,
				p.At(0), units.Energy(want), l.PerInstruction())
		}
	}
}

// TestInstructionsAreBounded: whatever a program claims, a part of a window has no less than
// nothing and no more than the window.
func TestInstructionsAreBounded(t *testing.T) {
	l := NewThreadLine()
	for i, n := range []float64{1e8, 3e8, 2e8, 4e8} {
		from := units.Instant(i) * units.Instant(window)
		l.Book(7, &Stretch{From: from, To: from.Add(window), Run: window, Clock: 3e9,
			Energy: units.Energy(1e9 + n), Instructions: n})
	}
	if each := l.PerInstruction(); math.Abs(each-1) > 1e-9 {
		t.Fatalf("%v nJ an instruction", each)
	}
	for _, n := range []float64{0, 1e18, math.MaxUint64} {
		p, ok := l.Find(7, 0, 1e6, time.Millisecond, n)
		if e := p.At(l.PerInstruction()); !ok || e < 0 || e > 1.1e9 {
			t.Errorf("%g instructions: %v", n, e)
		}
	}
}

// TestSlopeComparesAlike: windows at another clock, apart or with other CPU time teach nothing.
func TestSlopeComparesAlike(t *testing.T) {
	first := Stretch{From: 0, To: 100, Run: 100, Clock: 3e9, Energy: 100, Instructions: 100}
	next := Stretch{From: 100, To: 200, Run: 100, Clock: 3e9, Energy: 200, Instructions: 200}
	for name, change := range map[string]func(*Stretch){
		"alike":         func(*Stretch) {},
		"another clock": func(s *Stretch) { s.Clock = 2e9 },
		"less CPU time": func(s *Stretch) { s.Run = 80 },
		"not counted":   func(s *Stretch) { s.Instructions = 0 },
		"unknown clock": func(s *Stretch) { s.Clock = 0 },
	} {
		l := NewThreadLine()
		for i := range units.Instant(4) {
			a, b := first, next
			a.From, a.To, b.From, b.To = a.From+200*i, a.To+200*i, b.From+200*i, b.To+200*i
			change(&b)
			l.Book(1, &a)
			l.Book(1, &b)
		}
		if got := l.PerInstruction() != 0; got != (name == "alike") {
			t.Errorf("%s: %v nJ an instruction", name, l.PerInstruction())
		}
	}
}
