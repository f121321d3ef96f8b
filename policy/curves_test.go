package policy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Units of frequencies.
const (
	ghz = units.Frequency(1_000_000_000)
	mhz = units.Frequency(1_000_000)
)

const ms = time.Millisecond

// The paper's two lists of states.
var (
	steps500 = steps(500 * mhz) // 7 states
	steps125 = steps(125 * mhz) // 25 states
)

// steps are the states from 1 to 4 GHz.
func steps(by units.Frequency) (s []units.Frequency) {
	for f := ghz; f <= 4*ghz; f += by {
		s = append(s, f)
	}
	return s
}

// work is a quantum's work, and its true prediction.
type work struct {
	Scaling float64 // the time that scales with the frequency, in ns at 4 GHz
	Fixed   float64 // the time that does not, idle time included, in ns
	Calls   *int    // counts the predictions asked for, where it is not nil
}

// Duration implements Predictions.
func (w work) Duration(f units.Frequency) float64 {
	if w.Calls != nil {
		*w.Calls++
	}
	return float64(w.Scaling*4e9/float64(f)) + w.Fixed
}

// curve is a prediction by table.
type curve struct {
	States []units.Frequency
	T      []float64 // by state, ns
	Calls  *int      // counts the predictions asked for, where it is not nil
}

// Duration implements policy.Predictions. It panics at a frequency that is not a state.
func (c curve) Duration(f units.Frequency) float64 {
	if c.Calls != nil {
		*c.Calls++
	}
	return c.T[slices.Index(c.States, f)]
}

// busy is a quantum that ran from end to end.
func busy(dur time.Duration) Quantum {
	return Quantum{Dur: dur, Busy: dur, ThreadRun: dur}
}

// randomStates are 1 to 40 ascending frequencies, with neighbours at most a factor of 1.6 apart.
func randomStates(rng *rand.Rand) []units.Frequency {
	s := []units.Frequency{ghz/2 + units.Frequency(rng.Int64N(int64(ghz)))}
	for range rng.IntN(40) {
		s = append(s, units.Frequency(float64(s[len(s)-1])*(1.01+rng.Float64()*0.59)))
	}
	return s
}

// randomCurve falls with frequency, in places not at all. Its last duration is longest, at most.
func randomCurve(rng *rand.Rand, states []units.Frequency, longest float64, calls *int) curve {
	c := curve{states, make([]float64, len(states)), calls}
	t := longest
	for i := len(states) - 1; i >= 0; i-- {
		c.T[i] = t
		if rng.IntN(4) > 0 {
			t *= 1 + rng.Float64()*rng.Float64()*0.2
		}
	}
	return c
}

// checkDeterministic checks that two policies that see the same decide the same, to the last bit.
func checkDeterministic(t *testing.T, make func() Policy) {
	t.Helper()
	run := func() (out string) {
		rng, p := rand.New(rand.NewPCG(10, 0)), make()
		for k := range 200 {
			q := Quantum{Start: units.Instant(k) * 5e6, Dur: 5 * time.Millisecond,
				Busy: time.Duration(rng.Int64N(5e6)), ThreadRun: 5 * time.Millisecond,
				Delivered: 4 * ghz, Hole: rng.IntN(20) == 0}
			out += fmt.Sprintf("%+v\n", p.Decide(q, randomCurve(rng, steps125, 5e6, nil)))
		}
		return out
	}
	if first, second := run(), run(); first != second {
		t.Error("two runs differ")
	}
}

// checkPauses checks what a policy decides while the target sleeps: before anything has run the
// highest frequency, then the lowest, which p has for work that only waits for memory; after a
// pause of more than 100 ms, afterLong.
func checkPauses(t *testing.T, p Policy, afterLong units.Frequency) {
	t.Helper()
	at := func(start, dur time.Duration) Quantum {
		return Quantum{Start: units.Instant(start), Dur: dur}
	}
	if d := p.Decide(at(0, 5*ms), work{Fixed: 5e6}); d.Frequency != 4*ghz ||
		d.Reason != ReasonStart {
		t.Errorf("before the start: %v (%s)", d.Frequency, d.Reason)
	}
	q := busy(5 * ms)
	q.Start = units.Instant(5 * ms)
	if low := p.Decide(q, work{Fixed: 5e6}).Frequency; low != ghz {
		t.Fatalf("waiting for memory alone: %v", low)
	}
	for _, tc := range []struct {
		q    Quantum
		want units.Frequency
	}{
		{at(10*ms, 5*ms), ghz},
		{at(15*ms, 95*ms), ghz}, // 100 ms after the work ended
		{at(110*ms, 5*ms), afterLong},
		{at(115*ms, 5*ms), afterLong},
	} {
		d := p.Decide(tc.q, work{Fixed: float64(tc.q.Dur)})
		if d.Frequency != tc.want || d.Reason != ReasonIdle || d.Max != float64(tc.q.Dur) ||
			d.Chosen != d.Max {
			t.Errorf("idle from %v for %v: %v (%s), want %v", time.Duration(tc.q.Start),
				tc.q.Dur, d.Frequency, d.Reason, tc.want)
		}
	}
}
