package bench

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// longestPause is the longest time that bench waits before a run. More is a mistake.
const longestPause = 24 * time.Hour

// Check refuses senseless settings before anything is opened, reads the configuration, and returns
// the budgets.
func (s *Session) Check() ([]units.Slowdown, error) {
	switch {
	case s.runs < 1 || s.runs > maxRuns:
		return nil, command.Usagef("--runs %d is not between 1 and %d", s.runs, maxRuns)
	case s.WarmUp < 0 || s.WarmUp > maxRuns:
		return nil, command.Usagef("--warm-up %d is not between 0 and %d", s.WarmUp, maxRuns)
	case s.Pause < 0 || s.Pause > longestPause:
		return nil, command.Usagef("--pause %v is not between 0s and %v", s.Pause, longestPause)
	case s.minimize != "" && s.minimize != config.MinimizeSystemEnergy:
		return nil, command.Usagef("--minimize %q: there is %q", s.minimize,
			config.MinimizeSystemEnergy)
	}
	if err := s.checkRule(); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	var budgets []units.Slowdown
	for _, text := range s.slowdown {
		var slowdown units.Slowdown
		if err := slowdown.Set(text); err != nil {
			return nil, command.Usagef("--slowdown: %w", err)
		}
		budgets = append(budgets, slowdown)
	}
	if s.journal != "" {
		if err := safefile.Check(s.journal); err != nil {
			return nil, command.Usagef("--journal: %w", err)
		}
	}
	return budgets, nil
}

// checkRule refuses a rule that no run would have.
func (s *Session) checkRule() error {
	if slices.Contains(policy.SystemRules(), string(s.Rule)) {
		if s.minimize == "" {
			return command.Usagef("--rule %s is for runs with --minimize %s", s.Rule,
				config.MinimizeSystemEnergy)
		}
		return nil
	}
	if err := policy.CheckRule(s.Rule); err != nil {
		return command.Usagef("--rule: %w", err)
	}
	return nil
}

// load reads the configuration file, when one is given.
func (s *Session) load() error {
	if s.ConfigFile == "" {
		return nil
	}
	c, err := config.Load(s.ConfigFile)
	if err != nil {
		return command.UsageError(err)
	}
	if err := c.Validate(); err != nil {
		return command.UsageError(err)
	}
	if c.Shadow || c.Frequency > 0 {
		return command.Usagef(
			"--config %s: with shadow or a fixed frequency ebb makes no decisions that could be "+
				"measured", s.ConfigFile,
		)
	}
	if c.Minimize != "" {
		return command.Usagef(
			"--config %s: the objective is bench's to choose, by --slowdown and --minimize",
			s.ConfigFile,
		)
	}
	s.Config = c
	return nil
}
