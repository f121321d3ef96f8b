package cpufreq

import (
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// The virtual processor that stands in where there is no frequency control, or none is wanted: the
// quad-core of the DEP+BURST paper's Table 2 (after Intel's Haswell i7-4770K, 22 nm), whose clock
// goes from 1 to 4 GHz in 125 MHz steps.
const (
	virtualMin  = 1_000_000 * kHz
	virtualMax  = 4_000_000 * kHz
	virtualStep = 125_000 * kHz
)

// VirtualStates returns the virtual processor's frequencies, ascending.
func VirtualStates() []units.Frequency {
	var states []units.Frequency
	for f := virtualMin; f <= virtualMax; f += virtualStep {
		states = append(states, f)
	}
	return states
}

// shadow writes nothing. Every request goes as asked.
type shadow struct {
	reason   string
	states   []units.Frequency
	outcomes [1]Outcome
}

// NewShadow returns the actuator that writes nothing, with the virtual processor's states.
func NewShadow(reason string) Actuator {
	s := &shadow{reason: reason, states: VirtualStates()}
	s.outcomes[0] = Outcome{Domain: sysfs.Unknown, Asked: virtualMax, Found: virtualMax}
	return s
}

func (s *shadow) Name() string              { return Shadow }
func (s *shadow) Reason() string            { return s.reason }
func (s *shadow) States() []units.Frequency { return s.states }

func (s *shadow) Set(f units.Frequency) []Outcome {
	o := &s.outcomes[0]
	asked := atLeast(s.states, f)
	o.Kind = Unchanged
	if asked != o.Found {
		o.Kind = Written
	}
	o.Asked, o.Found = asked, asked
	return s.outcomes[:]
}

// SetAlone takes the machine for one domain, as Set does.
func (s *shadow) SetAlone(_ sysfs.Domain, f, _ units.Frequency) []Outcome { return s.Set(f) }

// Withdraw has nothing to put back, and nothing that it could stop setting.
func (s *shadow) Withdraw(error) bool { return true }
func (s *shadow) Withdrawal() error   { return nil }

// Check and Foreign: what is not written cannot be changed by others.
func (s *shadow) Check() ([]Outcome, bool) { return s.outcomes[:], false }
func (s *shadow) Foreign() []Foreign       { return nil }

func (s *shadow) Close() (Restoration, error) { return Restoration{Complete: true}, nil }
