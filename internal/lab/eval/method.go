package eval

import (
	"errors"
	"fmt"
	"github.com/ebb-energy/ebb/hpc"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/simhost"
)

// Method replaces ebb's own way to predict and decide in the runs under Ebb. The zero value
// replaces nothing. The paper's manager and the models that Figures 2 to 5 compare stay as they
// are.
type Method struct {
	// Rule is one of policy.Rules, for runs with a slowdown, or of policy.SystemRules, for runs
	// with the least system energy. Runs with the other objective keep ebb's own.
	Rule policy.Rule
	// Model, Estimator and CTP are those of predictor.Config. A machine that cannot count what
	// Estimator needs keeps ebb's own.
	Model, Estimator, CTP string
	// Rest is the most quanta that pass as one, as in governor.Config; 0 for none.
	Rest int
}

// methodCounters are the counters of loads and of stores of the paper's and other printed
// estimators.
var methodCounters = [][2]string{
	{hpc.CritDRAM, hpc.SQFull}, {hpc.CritOff, hpc.SQOff}, {hpc.CritOffX, hpc.SQOff},
	{hpc.LeadDRAM, hpc.SQFull}, {hpc.LeadOffX, hpc.SQOff},
	{hpc.StallDRAM, hpc.SQFull}, {hpc.StallOff, hpc.SQOff}, {hpc.StallOff, hpc.SQFull},
}

// String returns the names of what is replaced: "rule even, model coop"; "" for nothing.
func (m Method) String() string {
	var parts []string
	for _, p := range [][2]string{{"rule", string(m.Rule)}, {"model", m.Model},
		{"estimator", m.Estimator}, {"ctp", m.CTP}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	if m.Rest > 1 {
		parts = append(parts, fmt.Sprintf("rests of %d quanta", m.Rest))
	}
	return strings.Join(parts, ", ")
}

// check returns an error that names the first unknown name.
func (m *Method) check() error {
	if m.Rule != policy.SixSteps {
		if err := policy.CheckRule(m.Rule); err != nil {
			return err
		}
	}
	if m.Rest < 0 {
		return fmt.Errorf("a rest of %d quanta", m.Rest)
	}
	p := m.predictor()
	p.Unit = epochs.Nanosecond
	if _, err := predictor.New(p, nil); err != nil && !errors.Is(err, predictor.ErrMissing) {
		return err
	}
	if m.Estimator != "" && m.counters(predictor.Config{}, true) == nil {
		return fmt.Errorf("no simulated machine counts what estimator %q needs", m.Estimator)
	}
	return nil
}

func (m *Method) predictor() predictor.Config {
	return predictor.Config{Model: m.Model, Estimator: m.Estimator, CTP: m.CTP}
}

// apply puts the method into the configuration of a run on p, and its counters into o.
func (m *Method) apply(c *governor.Config, p *hardware.Profile, o *simtest.Options) {
	if system := m.Rule == policy.SixSteps; m.Rule != "" &&
		system == (c.Objective == governor.SystemEnergy) {
		c.Rule = m.Rule
	}
	c.Rest, c.Brief = m.Rest, m.Rest > 1
	c.Predictor.Model, c.Predictor.CTP = m.Model, m.CTP
	if m.Estimator == "" {
		return
	}
	if counters := m.counters(c.Predictor, p.Counters.Exact); counters != nil {
		c.Predictor.Estimator, o.Counters = m.Estimator, counters
	}
}

// counters returns a set that Estimator can work with; nil where there is none.
func (m *Method) counters(c predictor.Config, exact bool) []string {
	sets := [][]string{simhost.Counters(&hardware.Profile{})}
	if exact {
		var p hardware.Profile
		p.Counters.Exact = true
		sets = append(sets, simhost.Counters(&p))
		for _, pair := range methodCounters {
			sets = append(sets, append(pair[:], hpc.Insts, hpc.DRAMReads))
		}
	}
	c.Estimator, c.Unit = m.Estimator, epochs.Nanosecond
	for _, set := range sets {
		if _, err := predictor.New(c, set); err == nil {
			return set
		}
	}
	return nil
}
