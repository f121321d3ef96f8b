package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// maxRuns bounds the rounds of a plan; more is a typing error.
const maxRuns = 10000

// Plan is everything that determines a measurement, except the number of rounds. A journal is only
// continued under the same plan.
type Plan struct {
	Version  string    `json:"ebb_version"`
	Machine  Testbed   `json:"machine"`
	Command  []string  `json:"command,omitempty"`  // command on a host
	Workload string    `json:"workload,omitempty"` // workload on the simulated machine
	Settings []Setting `json:"settings"`
	WarmUp   int       `json:"warm_up"` // number of runs that count for nothing
	Seed     uint64    `json:"seed"`
	Source   Source    `json:"energy_source"`
	// Options are the other flags that the runs depend on.
	Options []string `json:"options,omitempty"`
}

// Testbed is the machine on which runs are made.
type Testbed struct {
	Kernel    string `json:"kernel,omitempty"`
	CPU       string `json:"cpu_model,omitempty"`
	CPUs      int    `json:"cpus"`
	Simulated string `json:"simulated,omitempty"` // name of the simulated profile
	Actuator  string `json:"actuator"`            // "setspeed", "clamp", "simulated"
}

// highest returns the setting with which all others are compared.
func (p *Plan) highest() Setting { return p.Settings[0] }

// statics returns the settings with one frequency, the highest first.
func (p *Plan) statics() []Setting {
	return slices.DeleteFunc(slices.Clone(p.Settings),
		func(s Setting) bool { return s.Kind != Static })
}

// States returns the frequencies of the plan, ascending.
func (p *Plan) States() []units.Frequency {
	var states []units.Frequency
	for _, s := range p.statics() {
		states = append(states, s.Frequency)
	}
	slices.Reverse(states)
	return states
}

// validate returns an error that says why a plan is invalid.
func (p *Plan) validate() error {
	if len(p.Settings) == 0 || p.Settings[0].Kind != Static {
		return errors.New("a plan must begin with the highest frequency, " +
			"the reference of all others")
	}
	seen := map[string]bool{}
	for _, s := range p.Settings {
		if seen[s.id()] {
			return fmt.Errorf("%s is listed twice", s)
		}
		seen[s.id()] = true
		if s.Kind == Static && s.Frequency > p.Settings[0].Frequency {
			return fmt.Errorf("%v is above %v, the plan's highest frequency", s.Frequency,
				p.Settings[0].Frequency)
		}
	}
	return nil
}

// order returns the order in which a round runs the settings, by their index. It depends on the
// seed and the round alone, so an interrupted measurement continues in the same order.
func (p *Plan) order(round int) []int {
	return rand.New(rand.NewPCG(p.Seed, uint64(round))).Perm(len(p.Settings))
}

// differs describes the first difference between p and o, the plan with which a journal began. It
// returns "" if they are equal.
func (p *Plan) differs(o *Plan) string {
	for _, x := range []struct{ what, now, then string }{
		{"the command", fmt.Sprintf("%q", p.Command), fmt.Sprintf("%q", o.Command)},
		{"the workload", p.Workload, o.Workload},
		{"the machine", fmt.Sprintf("%+v", p.Machine), fmt.Sprintf("%+v", o.Machine)},
		{"the settings", names(p.Settings), names(o.Settings)},
		{"the warm-up runs", fmt.Sprint(p.WarmUp), fmt.Sprint(o.WarmUp)},
		{"the seed", fmt.Sprint(p.Seed), fmt.Sprint(o.Seed)},
		{"the source of energy", string(p.Source), string(o.Source)},
		{"the options", fmt.Sprintf("%q", p.Options), fmt.Sprintf("%q", o.Options)},
		{"ebb's version", p.Version, o.Version},
	} {
		if x.now != x.then {
			return fmt.Sprintf("%s: it has %s, this is %s", x.what, x.then, x.now)
		}
	}
	return ""
}
