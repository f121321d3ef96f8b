// Package policytest has the quanta, predictions and states that the policies' tests share.
package policytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// Units of frequencies.
const (
	GHz = units.Frequency(1_000_000_000)
	MHz = units.Frequency(1_000_000)
)

// The paper's two lists of states.
var (
	Steps500 = Steps(500 * MHz) // 7 states
	Steps125 = Steps(125 * MHz) // 25 states
)

// Steps are the states from 1 to 4 GHz.
func Steps(by units.Frequency) (s []units.Frequency) {
	for f := GHz; f <= 4*GHz; f += by {
		s = append(s, f)
	}
	return s
}

// Work is a quantum's work, and its true prediction.
type Work struct {
	Scaling float64 // the time that scales with the frequency, in ns at 4 GHz
	Fixed   float64 // the time that does not, idle time included, in ns
	Calls   *int    // counts the predictions asked for, where it is not nil
}

// Duration implements policy.Predictions.
func (w Work) Duration(f units.Frequency) float64 {
	if w.Calls != nil {
		*w.Calls++
	}
	return float64(w.Scaling*4e9/float64(f)) + w.Fixed
}

// Curve is a prediction by table.
type Curve struct {
	States []units.Frequency
	T      []float64 // by state, ns
	Calls  *int      // counts the predictions asked for, where it is not nil
}

// Duration implements policy.Predictions. It panics at a frequency that is not a state.
func (c Curve) Duration(f units.Frequency) float64 {
	if c.Calls != nil {
		*c.Calls++
	}
	return c.T[slices.Index(c.States, f)]
}

// Busy is a quantum that ran from end to end.
func Busy(dur time.Duration) policy.Quantum {
	return policy.Quantum{Dur: dur, Busy: dur, ThreadRun: dur}
}

// RandomStates are 1 to 40 ascending frequencies, with neighbours at most a factor of 1.6 apart.
func RandomStates(rng *rand.Rand) []units.Frequency {
	s := []units.Frequency{GHz/2 + units.Frequency(rng.Int64N(int64(GHz)))}
	for range rng.IntN(40) {
		s = append(s, units.Frequency(float64(s[len(s)-1])*(1.01+rng.Float64()*0.59)))
	}
	return s
}

// RandomCurve falls with frequency, in places not at all. Its last duration is longest, at most.
func RandomCurve(rng *rand.Rand, states []units.Frequency, longest float64, calls *int) Curve {
	c := Curve{states, make([]float64, len(states)), calls}
	t := longest
	for i := len(states) - 1; i >= 0; i-- {
		c.T[i] = t
		if rng.IntN(4) > 0 {
			t *= 1 + rng.Float64()*rng.Float64()*0.2
		}
	}
	return c
}

// Deterministic checks that two policies that see the same decide the same, to the last bit.
func Deterministic(t *testing.T, make func() policy.Policy) {
	t.Helper()
	run := func() (out string) {
		rng, p := rand.New(rand.NewPCG(10, 0)), make()
		for k := range 200 {
			q := policy.Quantum{Start: units.Instant(k) * 5e6, Dur: 5 * time.Millisecond,
				Busy: time.Duration(rng.Int64N(5e6)), ThreadRun: 5 * time.Millisecond,
				Delivered: 4 * GHz, Hole: rng.IntN(20) == 0}
			out += fmt.Sprintf("%+v\n", p.Decide(q, RandomCurve(rng, Steps125, 5e6, nil)))
		}
		return out
	}
	if first, second := run(), run(); first != second {
		t.Error("two runs differ")
	}
}

// Pauses checks what a policy decides while the target sleeps: before anything has run the highest
// frequency, then the lowest, which p has for work that only waits for memory; after a pause of
// more than 100 ms, afterLong.
func Pauses(t *testing.T, p policy.Policy, afterLong units.Frequency) {
	t.Helper()
	const ms = time.Millisecond
	at := func(start, dur time.Duration) policy.Quantum {
		return policy.Quantum{Start: units.Instant(start), Dur: dur}
	}
	if d := p.Decide(at(0, 5*ms), Work{Fixed: 5e6}); d.Frequency != 4*GHz ||
		d.Reason != policy.ReasonStart {
		t.Errorf("before the start: %v (%s)", d.Frequency, d.Reason)
	}
	q := Busy(5 * ms)
	q.Start = units.Instant(5 * ms)
	if low := p.Decide(q, Work{Fixed: 5e6}).Frequency; low != GHz {
		t.Fatalf("waiting for memory alone: %v", low)
	}
	for _, tc := range []struct {
		q    policy.Quantum
		want units.Frequency
	}{
		{at(10*ms, 5*ms), GHz},
		{at(15*ms, 95*ms), GHz}, // 100 ms after the work ended
		{at(110*ms, 5*ms), afterLong},
		{at(115*ms, 5*ms), afterLong},
	} {
		d := p.Decide(tc.q, Work{Fixed: float64(tc.q.Dur)})
		if d.Frequency != tc.want || d.Reason != policy.ReasonIdle || d.Max != float64(tc.q.Dur) ||
			d.Chosen != d.Max {
			t.Errorf("idle from %v for %v: %v (%s), want %v", time.Duration(tc.q.Start),
				tc.q.Dur, d.Frequency, d.Reason, tc.want)
		}
	}
}
