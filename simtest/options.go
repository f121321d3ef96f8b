package simtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/simtest/fault"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Options are what a run can choose.
type Options struct {
	Seed    uint64
	Quantum time.Duration // ticks come at its multiples; 0 for 5 ms
	HoldOff int           // records are made in the first of how many quanta; 0 for 1, every one
	// Exact closes the slices of all running threads whenever an epoch ends, so that no counter has
	// to be split.
	Exact    bool
	Counters []string        // see CounterNames; at most epochs.MaxCounters
	Initial  units.Frequency // 0 for the highest
	Sample   time.Duration   // period of Sample events; 0 for none
	// Truth.Progress has a point for each so many instructions of work; 0 for none
	Progress int64
	Quiet    bool // no Sched events: for runs that nobody observes
	// Clamp: requests set both bounds of the frequency. It matters to machines with
	// Transition.Floor only.
	Clamp  bool
	Faults fault.Plan
}

// complete fills in what was left open and says what can not be.
func (o *Options) complete(p *hardware.Profile) error {
	if o.Quantum == 0 {
		o.Quantum = 5 * time.Millisecond
	}
	if o.HoldOff == 0 {
		o.HoldOff = 1
	}
	if o.Quantum < 0 || o.HoldOff < 0 || o.Sample < 0 || o.Progress < 0 {
		return errors.New("a negative option")
	}
	if o.Initial == 0 {
		o.Initial = p.Highest()
	}
	if !p.Offers(o.Initial) {
		return fmt.Errorf("there is no state %v", o.Initial)
	}
	return o.countable(&p.Counters)
}

// countable reports which of the run's counters the machine cannot count, or not as wanted.
func (o *Options) countable(c *hardware.PMU) error {
	if o.Exact && !c.Exact {
		return errors.New("its counters cannot be read exactly at each epoch's end")
	}
	if c.Names == nil {
		return nil
	}
	for _, n := range o.Counters {
		if !slices.Contains(c.Names, n) {
			return fmt.Errorf("it has no counter %q; there are %s", n, strings.Join(c.Names, ", "))
		}
	}
	return nil
}
