package policy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// maxAsked bounds the number of states that a prediction is asked for: each costs a pass over the
// quantum's epochs.
const maxAsked = 9

// asked returns the indices of the states to predict: all when there are few, otherwise evenly
// spaced ones, the lowest and the highest among them.
func asked(n int) []int {
	k := min(n, maxAsked)
	out := make([]int, k)
	for i := range out {
		out[i] = i * (n - 1) / max(k-1, 1)
	}
	out[k-1] = n - 1
	return out
}

// read fills in the shape of the quantum's work, whose predicted duration at the highest state is
// longest, from predictions and fit.
func (f *forecast) read(q *Quantum, p Predictions, longest float64, fit *power.Fit) {
	f.times(p, longest)
	f.energies(q, longest, fit)
}

// times fills in the extra times. Between the states asked for the time is a straight line over
// 1/f, which is exact for one thread's time, and above it where threads wait for each other.
func (f *forecast) times(p Predictions, longest float64) {
	extra, last := f.Now.Extra, len(f.states)-1
	extra[last] = 0
	for k := len(f.ask) - 2; k >= 0; k-- {
		lo, hi := f.ask[k], f.ask[k+1]
		t := p.Duration(f.states[lo])
		if !usable(t) {
			t = longest * float64(f.states[last]) / float64(f.states[lo])
		}
		// A lower frequency is never faster. A prediction that says so errs.
		extra[lo] = max(t/longest-1, extra[hi])
		slow, fast := 1/float64(f.states[lo]), 1/float64(f.states[hi])
		for i := lo + 1; i < hi; i++ {
			w := (1/float64(f.states[i]) - fast) / (slow - fast)
			extra[i] = extra[hi] + float64(w*(extra[lo]-extra[hi]))
		}
	}
}

// energies fills in the energies, after the times.
func (f *forecast) energies(q *Quantum, longest float64, fit *power.Fit) {
	s := &f.Now
	idle, waits := q.Idle(), f.waits()
	a := power.Activity{Instructions: float64(q.Instructions), Requests: float64(q.DRAMReads)}
	for i, state := range f.states {
		t := float64(longest * (1 + s.Extra[i]))
		// Threads that wait for each other wait longer when those run longer.
		a.F, a.Dur = state, nanoseconds(float64(t*waits))
		a.CoreBusy = nanoseconds(float64(q.ThreadRun) * max(t-idle, 0) / float64(q.Busy+q.Waited))
		x := fit.Features(a)
		x.Scale(1 / longest)
		if s.Parts != nil {
			s.Parts[i] = x
		}
		s.Energy[i], s.Metered[i] = fit.Modelled(&x), fit.Energy(&x)
	}
}

func nanoseconds(t float64) time.Duration { return time.Duration(math.Round(t)) }
