package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/config"
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// governFlags are the flags that config.Config has keys for.
func (s *settings) governFlags(cmd *cobra.Command) {
	f, c := cmd.Flags(), &s.config
	f.Var(&c.Slowdown, "slowdown",
		"allow this much more time than at the highest frequency, such as 5%")
	f.StringVar(&c.Minimize, "minimize", c.Minimize,
		"`"+config.MinimizeSystemEnergy+
			"`: least energy of processor, memory and platform, without a budget")
	f.Var(&c.Frequency, "frequency",
		"keep this frequency all the time, such as 2.4GHz; decide nothing")
	f.Var(&c.Power.Platform, "platform-power",
		"what everything but processor and memory draws, such as 20W")
	noDefault(f, "frequency", "platform-power")
	f.BoolVar(&c.Shadow, "shadow", c.Shadow,
		"predict, decide and account, but write nothing to the machine")
	f.DurationVar(&c.Quantum, "quantum", c.Quantum,
		"decision interval (0: 5ms, or longer where the clock settles slowly)")
	f.IntVar(&c.HoldOff, "hold-off", c.HoldOff,
		"re-decide every `N` quanta, trace only the first (0: 1, or more where the clock settles "+
			"slowly)")
	f.DurationVar(&c.Settle, "settle", c.Settle,
		"time from a request to its effect on this machine (0: measured at the start)")
	f.StringVar(&c.Rule, "rule", c.Rule,
		"spend the slowdown by `RULE`: "+strings.Join(policy.Rules(), ", ")+
			"; with --minimize: "+strings.Join(policy.SystemRules(), ", "))
	f.Var(&c.Margin, "margin", "leave this share of the slowdown unspent, such as 2%, or error-bar")
	f.StringVar(&c.Model, "model", c.Model,
		"prediction `MODEL`: "+strings.Join(predictor.ModelNames(), ", "))
	f.StringVar(&c.Estimator, "estimator", c.Estimator,
		"non-scaling time `FROM`: "+strings.Join(predictor.EstimatorNames(), ", ")+
			" (default: the best that the machine's counters allow)")
	f.StringVar(&c.CTP, "ctp", c.CTP,
		"critical thread prediction of dep: `MODE` across (epochs) or per-epoch")
	researchFlags(cmd, "model", "estimator", "ctp", "rule")
	f.IntVar(&c.RingBytes, "ring-bytes", c.RingBytes,
		"size of the kernel's record buffer, a power of two (0: 1 MiB for each CPU, 8 MiB at most)")
}

// load makes the configuration: flags over file over defaults.
func (s *settings) load(cmd *cobra.Command) error {
	if err := checkGiven(cmd.Flags()); err != nil {
		return err
	}
	if s.configFile != "" {
		c, err := config.Load(s.configFile)
		if err != nil {
			return usageError{err}
		}
		given := map[*pflag.Flag]string{}
		cmd.Flags().Visit(func(f *pflag.Flag) { given[f] = f.Value.String() })
		s.config = c // the flags' values are its fields
		for f, value := range given {
			if err := f.Value.Set(value); err != nil {
				return usagef("--%s: %w", f.Name, err)
			}
		}
	}
	if s.report == "" {
		s.report = s.config.Report
	}
	if s.shadowOnly {
		s.config.HoldOff = 1 // a record has no gaps
	}
	if err := s.config.Validate(); err != nil {
		return usageError{err}
	}
	s.calibrate = s.config.Quantum == 0 && s.config.HoldOff == 0
	s.config.Calibrate()
	return nil
}

// meetStates makes a fixed frequency the nearest one that there is. One far from all is a mistake,
// or meant for another machine.
func (s *settings) meetStates(states []units.Frequency) error {
	f := &s.config.Frequency
	lowest, highest := states[0], states[len(states)-1]
	switch {
	case *f == 0:
		return nil
	case *f < lowest || *f > highest:
		return usagef("frequency %v: there are %v to %v here", *f, lowest, highest)
	}
	i, _ := slices.BinarySearch(states, *f)
	if i > 0 && *f-states[i-1] < states[i]-*f {
		i--
	}
	*f = states[i]
	return nil
}

// governorConfig is what the governor needs to know, with the frequencies of the actuator.
func (s *settings) governorConfig(a cpufreq.Actuator) governor.Config {
	g := s.governorFor(a.States())
	g.Shadow = a.Name() == cpufreq.Shadow
	return g
}

// governorFor is what the governor needs to know, with these frequencies.
func (s *settings) governorFor(states []units.Frequency) governor.Config {
	c := &s.config
	g := governor.Config{
		Objective: governor.Slowdown, Slowdown: c.Slowdown, CarryMax: c.CarryMax,
		Frequency: c.Frequency, Power: c.Power,
		Rule: policy.Rule(c.Rule), Margin: c.Margin, Settle: c.Settle,
		States: states, Quantum: c.Quantum, HoldOff: c.HoldOff,
		Predictor: predictor.Config{Model: c.Model, Estimator: c.Estimator, CTP: c.CTP},
	}
	switch {
	case c.Frequency > 0:
		g.Objective = governor.Fixed
	case c.Minimize == config.MinimizeSystemEnergy:
		g.Objective = governor.SystemEnergy
	}
	return g
}
