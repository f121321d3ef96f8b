package simtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Options are the settings of a run. The zero value is valid.
type Options struct {
	Seed    uint64
	Quantum time.Duration // ticks come at its multiples; 0 for 5 ms
	HoldOff int           // only the first of HoldOff quanta has records; 0 for 1, every quantum
	// Exact closes the slices of all running threads at each epoch's end, so no counter has to be
	// split.
	Exact    bool
	Counters []string        // names as in CounterNames; at most epochs.MaxCounters
	Initial  units.Frequency // 0 for the highest
	Sample   time.Duration   // period of Sample events; 0 for none
	Progress int64           // instructions of work between points of Truth.Progress; 0 for none
	// Overhead is the cost of an observer: after each tick interrupts hold up the threads of all
	// cores for that long. The cycle counters count these.
	Overhead time.Duration
	// Visits are an observer's work on idle cores.
	Visits Visits
	Quiet  bool // no Sched events and no counters: for runs that nobody observes
	// Clamp: requests set both bounds of the frequency. It only matters to machines with
	// Transition.Floor.
	Clamp  bool
	Faults hardware.FaultPlan
	Others []Other // other programs' threads
	Quota  Quota   // quota of the program
}

const defaultQuantum = 5 * time.Millisecond

// complete sets defaults and reports options that the machine cannot have.
func (o *Options) complete(p *hardware.Profile) error {
	if o.Quantum == 0 {
		o.Quantum = defaultQuantum
	}
	if o.HoldOff == 0 {
		o.HoldOff = 1
	}
	if o.Quantum < 0 || o.HoldOff < 0 || o.Sample < 0 || o.Progress < 0 || o.Overhead < 0 ||
		o.Visits.Reader < 0 || o.Visits.Interrupt < 0 || o.Visits.Linger < 0 {
		return errors.New("a negative option")
	}
	if o.Overhead >= o.Quantum {
		return errors.New("an overhead that leaves the program no time")
	}
	if o.Initial == 0 {
		o.Initial = p.Highest()
	}
	for i := range o.Others {
		if err := o.Others[i].validate(p.Cores); err != nil {
			return err
		}
	}
	if o.Quota.CPUs < 0 || o.Quota.Period < 0 {
		return fmt.Errorf("a quota of %v CPUs in %v", o.Quota.CPUs, o.Quota.Period)
	}
	if !p.Offers(o.Initial) {
		return fmt.Errorf("there is no state %v", o.Initial)
	}
	return o.countable(&p.Counters)
}

// countable returns an error that names the run's counters that the machine cannot count, or not as
// wanted.
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
