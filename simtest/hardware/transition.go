package hardware

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Transition describes the way in which the clock follows a request.
//
// A machine with a Grid samples requests at fixed times only; the request waits for the next of
// them, and then for Latency and up to Jitter. The old clock runs meanwhile. At the change all
// cores stand still for Stall. With a Ramp the clock then moves state by state.
type Transition struct {
	Latency, Jitter time.Duration
	Grid            time.Duration
	Stall           time.Duration
	// Ramp is the time that the clock takes from the lowest to the highest state, state by state.
	Ramp time.Duration
	// Floor: a written target frequency (scaling_setspeed) bounds the clock from below only, and
	// the machine chooses at or above it. Equal bounds (scaling_min_freq and scaling_max_freq)
	// hold.
	Floor bool
}

// Phase draws where the machine's grid lies relative to the kernel's clock, in [0, Grid). It
// differs from boot to boot. The two clocks drift by at most some 10 us per second, so the phase is
// constant within a run.
func (t *Transition) Phase(r *rand.Rand) time.Duration {
	if t.Grid <= 0 {
		return 0
	}
	return time.Duration(r.Int64N(int64(t.Grid)))
}

// Delay draws the time from a request at now to the change of the clock, with the grid at phase.
func (t *Transition) Delay(r *rand.Rand, now, phase time.Duration) time.Duration {
	d := t.Latency
	if t.Jitter > 0 {
		d += time.Duration(r.Int64N(int64(t.Jitter) + 1))
	}
	if t.Grid > 0 {
		since := (now - phase) % t.Grid
		if since < 0 {
			since += t.Grid
		}
		d += t.Grid - since
	}
	return d
}

// Longest returns the longest time from a request to its full effect.
func (t *Transition) Longest() time.Duration {
	return t.Grid + t.Latency + t.Jitter + t.Stall + t.Ramp
}

func (t *Transition) validate(name string) error {
	if min(t.Latency, t.Jitter, t.Grid, t.Stall, t.Ramp) < 0 {
		return fmt.Errorf("profile %s: a negative time in its transitions: %+v", name, *t)
	}
	return nil
}

// Autonomous returns the frequency that a machine with Transition.Floor chooses at or above floor,
// when its cores were busy for this share of the last period. Such machines favour speed: from
// fullSpeedShare on they choose the highest state.
func (p *Profile) Autonomous(busy float64, floor units.Frequency) units.Frequency {
	if busy >= fullSpeedShare {
		return max(p.Highest(), floor)
	}
	span := float64(p.Highest() - p.Lowest())
	want := p.Lowest() + units.Frequency(busy/fullSpeedShare*span)
	for _, f := range p.States {
		if f >= want && f >= floor {
			return f
		}
	}
	return p.Highest()
}

const fullSpeedShare = 0.5
