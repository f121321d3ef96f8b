package run

import (
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/methods"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/units"
)

// Settings are a run's settings besides its command. Errors name them by ebb run's flags, and the
// settings in Config by the configuration's keys.
type Settings struct {
	part.Settings
	Tenants Tenants // tenants in the place of a target
	// Then is called with the report at the end; nil for nothing.
	Then func(*report.Report) error

	calibrate bool // neither quantum nor hold-off was given
}

// NewSettings returns the settings that a run has by default.
func NewSettings() Settings {
	return Settings{Settings: part.Settings{Config: config.Default()}}
}

// attaches reports whether the target runs already.
func (s *Settings) attaches() bool { return s.Attaches() || s.Tenants.File != "" }

// Complete validates the settings and derives those that follow from others.
func (s *Settings) Complete(argv []string) error {
	if s.Files.Report == "" {
		s.Files.Report = s.Report
	}
	if s.RecordOnly || s.Files.Epochs != "" {
		s.HoldOff, s.Rest = 1, 1 // a record has no gaps
	}
	if s.Files.Epochs != "" && !s.RecordOnly && s.Frequency == 0 {
		return command.Usagef("--epochs needs --frequency, because a table is of one clock; " +
			"ebb record writes one at the clock that the machine chooses")
	}
	if err := s.Validate(); err != nil {
		return command.UsageError(err)
	}
	s.calibrate = s.Quantum == 0 && s.HoldOff == 0
	s.Calibrate()
	if err := methods.CheckFunctions(&s.Settings, s.attaches()); err != nil {
		return err
	}
	if err := methods.CheckCount(&s.Settings); err != nil {
		return err
	}
	if err := methods.CheckSensitivity(&s.Settings); err != nil {
		return err
	}
	if err := methods.CheckStream(&s.Stream); err != nil {
		return err
	}
	if s.Stream.Wanted() && !s.Methods.Wanted {
		s.Methods.Threads = true
	}
	if s.Network || s.Functions.Wanted || len(s.Count.Functions) > 0 || s.Methods.Regions ||
		s.Stream.Wanted() || s.Sensitivity.Table != nil || s.Tenants.File != "" {
		s.Rest = 1 // their data is read with each quantum, and tenants do not rest together
	}
	s.limitRest()
	return s.checkTarget(argv)
}

// fit takes over the measured settle time, and reports whether that changed quantum or hold-off.
func (s *Settings) fit(settle time.Duration) (changed bool) {
	quantum, holdOff := s.Quantum, s.HoldOff
	s.Settle = max(settle, time.Nanosecond) // 0 would stand for unknown
	if s.calibrate {
		s.Quantum, s.HoldOff = 0, 0
		s.Calibrate()
		s.limitRest()
	}
	return s.Quantum != quantum || s.HoldOff != holdOff
}

// meetStates replaces a fixed frequency by the nearest of the machine's states (ascending). A
// frequency far from all of them is a mistake, or meant for another machine.
func (s *Settings) meetStates(states []units.Frequency) error {
	f := &s.Frequency
	lowest, highest := states[0], states[len(states)-1]
	switch {
	case *f == 0:
		return nil
	case *f < lowest || *f > highest:
		return command.Usagef("frequency %v: there are %v to %v here", *f, lowest, highest)
	}
	*f = config.Nearby(states, *f)
	return nil
}
