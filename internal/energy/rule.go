package energy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Rule divides a zone's energy of one window.
type Rule interface {
	Name() string
	// Overcounts reports whether the rule may attribute an amount more than once.
	Overcounts() bool
	// split appends to d the amount of each thread. The rest stays unattributed.
	split(z *Zone, used units.Energy, w *Window, d *division)
}

// division is a zone's energy of a window, divided.
type division struct {
	threads []threadShare
	others  units.Energy
	idle    units.Energy
	still   units.Energy // energy that the zone would have used with nothing running
	busy    *busyTimes   // the zone's sums, kept from one window to the next

	highest epochs.TID // the largest of threads
	weights []float64  // scratch
	parts   []units.Energy
}

type threadShare struct {
	thread epochs.TID
	amount units.Energy
}

func (d *division) reset() {
	d.threads, d.others, d.idle = d.threads[:0], 0, 0
	d.weights, d.parts = d.weights[:0], d.parts[:0]
}

func (d *division) give(t epochs.TID, e units.Energy) {
	if e == 0 {
		return
	}
	// Runs mostly come in order of their threads, of which a whole machine has thousands.
	if n := len(d.threads); n == 0 || t > d.highest {
		d.threads, d.highest = append(d.threads, threadShare{t, e}), t
		return
	}
	for i := len(d.threads) - 1; i >= 0; i-- {
		if d.threads[i].thread == t {
			d.threads[i].amount += e
			return
		}
	}
	d.threads = append(d.threads, threadShare{t, e})
}

// RuleConfig describes the machine to ebb's own rule.
type RuleConfig struct {
	// Power is the power of a busy CPU at a frequency, in any unit. Nil: the power is the same at
	// all frequencies.
	Power func(units.Frequency) float64
	// Shared is the weight of a nanosecond on a core with another busy hardware thread, relative to
	// one alone; 0 for defaultShared. A core with two busy threads draws some 20 % more than with
	// one, so each weighs about 0.6.
	Shared float64
}

// defaultShared is the default of RuleConfig.Shared.
const defaultShared = 0.6

// RuleNames are the rules' names, ebb's own first.
var RuleNames = append(slices.Clone(DefaultRules), Chappie, Artifact, Jalen2012)

// DefaultRules are the rules by which a run is divided unless it asks for others. Each rule has a
// ledger of its own, and takes time and memory.
var DefaultRules = []string{"ledger", "cpu-time", Equal, Jalen, Oblivious}

// NewRule makes a rule by its name. The error of an unknown name lists the rules.
func NewRule(name string, c RuleConfig) (Rule, error) {
	if c.Shared == 0 {
		c.Shared = defaultShared
	}
	switch name {
	case "ledger":
		return weighted{c}, nil
	case "cpu-time":
		return cpuTime{}, nil
	case Equal:
		return equal{}, nil
	case Chappie:
		return chappie{}, nil
	case Artifact:
		return artifact{}, nil
	case Jalen:
		return jalen{}, nil
	case Jalen2012:
		return jalen2012{}, nil
	case Oblivious:
		return oblivious{}, nil
	}
	return nil, fmt.Errorf("no rule %q; there are %s", name, strings.Join(RuleNames, ", "))
}

// has reports whether the zone covers a CPU.
func (z *Zone) has(c CPU) bool {
	for _, own := range z.CPUs {
		if own == c {
			return true
		}
	}
	return false
}

// weighted is ebb's own rule.
type weighted struct{ RuleConfig }

func (weighted) Name() string { return "ledger" }

func (weighted) Overcounts() bool { return false }

func (r weighted) split(z *Zone, used units.Energy, w *Window, d *division) {
	d.idle = min(max(d.still, 0), used)
	byWeight(z, used-d.idle, w, d, func(f units.Frequency, alone, shared time.Duration) float64 {
		return (float64(alone) + r.Shared*float64(shared)) * r.power(f)
	})
}

func (r weighted) power(f units.Frequency) float64 {
	if r.Power == nil || f <= 0 {
		return 1
	}
	p := r.Power(f)
	if !(p > 0) || math.IsInf(p, 1) {
		return 1
	}
	return p
}

// byWeight divides an amount over all that ran on the zone's CPUs. If nothing ran, it is idle.
func byWeight(
	z *Zone, amount units.Energy, w *Window, d *division,
	weight func(f units.Frequency, alone, shared time.Duration) float64,
) {
	for i := range w.Runs {
		x := 0.0
		if r := &w.Runs[i]; z.has(r.CPU) {
			x = weight(r.Frequency, r.Alone, r.Shared)
		}
		d.weights = append(d.weights, x)
	}
	for i := range w.Others {
		x := 0.0
		if o := &w.Others[i]; z.has(o.CPU) {
			x = weight(o.Frequency, o.Time-o.Shared, o.Shared)
		}
		d.weights = append(d.weights, x)
	}
	var some bool
	if d.parts, some = Divide(amount, d.weights, d.parts); !some {
		d.idle += amount
		return
	}
	for i := range w.Runs {
		d.give(w.Runs[i].Thread, d.parts[i])
	}
	for _, e := range d.parts[len(w.Runs):] {
		d.others += e
	}
}

// cpuTime divides by time on a CPU alone.
type cpuTime struct{}

func (cpuTime) Name() string { return "cpu-time" }

func (cpuTime) Overcounts() bool { return false }

func (cpuTime) split(z *Zone, used units.Energy, w *Window, d *division) {
	byWeight(z, used, w, d, func(_ units.Frequency, alone, shared time.Duration) float64 {
		return float64(alone + shared)
	})
}
