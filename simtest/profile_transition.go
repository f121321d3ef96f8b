package simtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Transition is how the clock changes when it is asked to.
//
// A request waits for the machine's next look at requests, if it looks at times of its own (Grid),
// and then for Latency and up to Jitter more. Meanwhile the old clock runs. At the change no core
// runs for Stall. With a Ramp the clock then moves by single states.
type Transition struct {
	Latency, Jitter time.Duration
	Grid            time.Duration
	// Stall is how long no core runs at the change.
	Stall time.Duration
	// Ramp is how long the whole range from lowest to highest state takes, when the clock climbs by
	// single states.
	Ramp time.Duration
	// Floor: a write of the target frequency (scaling_setspeed) bounds the clock from below only;
	// above that the machine chooses. Setting both bounds to the same frequency (scaling_min_freq
	// and scaling_max_freq) works.
	Floor bool

	phase time.Duration // of the grid, in [0, Grid)
}

// begin draws what differs from boot to boot: the grid's phase. Its clock and the kernel's have
// different crystals, but drift by some 10 us a second at most, so within a run the phase stays.
func (t *Transition) begin(r *rand.Rand) {
	if t.Grid > 0 {
		t.phase = time.Duration(r.Int64N(int64(t.Grid)))
	}
}

// delay is from a request at now to the change of the clock.
func (t *Transition) delay(r *rand.Rand, now time.Duration) time.Duration {
	d := t.Latency
	if t.Jitter > 0 {
		d += time.Duration(r.Int64N(int64(t.Jitter) + 1))
	}
	if t.Grid > 0 {
		since := (now - t.phase) % t.Grid
		if since < 0 {
			since += t.Grid
		}
		d += t.Grid - since
	}
	return d
}

// Longest is the longest time from a request to its full effect.
func (t *Transition) Longest() time.Duration {
	return t.Grid + t.Latency + t.Jitter + t.Stall +
		t.Ramp
}

func (t *Transition) validate(name string) error {
	if min(t.Latency, t.Jitter, t.Grid, t.Stall, t.Ramp) < 0 {
		return fmt.Errorf("profile %s: a negative time in its transitions: %+v", name, *t)
	}
	return nil
}

// Autonomous is the frequency that a machine with Transition.Floor chooses by itself at or above
// floor, when its cores were busy for this share of the last while. Such machines favour speed:
// above half they go to the top.
func (p *Profile) Autonomous(busy float64, floor units.Frequency) units.Frequency {
	if busy >= autonomousTop {
		return max(p.Highest(), floor)
	}
	want := p.Lowest() + units.Frequency(busy/autonomousTop*float64(p.Highest()-p.Lowest()))
	for _, f := range p.States {
		if f >= want && f >= floor {
			return f
		}
	}
	return p.Highest()
}

const autonomousTop = 0.5

// CounterPart is which counters the machine offers, by their names in slices, and how they can be
// read.
type CounterPart struct {
	// Exact: the counters of all cores can be read at the same instant, so that an epoch's end cuts
	// the slices of threads on other cores exactly. Simulators can do that. On a real machine a
	// core's counters are cheap to read only on that core, and slices are closed by a timer.
	Exact bool
	// Names of what is offered; nil is everything that the simulation can count.
	Names []string
}

// hardwareCounters are what the performance monitoring units of Intel's cores since Haswell can
// count (CYCLE_ACTIVITY, OFFCORE_REQUESTS_OUTSTANDING and RESOURCE_STALLS): a bracket of the time
// that does not scale, not that time.
var hardwareCounters = []string{
	"cycles", "instructions", "stall_lo_cycles", "occ_hi_cycles", "store_full_cycles", "store_rfo_cycles", "occ_dram_cycles",
}
