package run

import (
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/units"
)

// Settings are a run's settings besides its command. Errors name them by ebb run's flags, and the
// settings in Config by the configuration's keys.
type Settings struct {
	config.Config
	Target      Target
	Tenants     Tenants // tenants in the place of a target
	Files       Files
	Roots       Roots
	Methods     Methods
	Stream      Stream
	Machine     MachineMeter
	Functions   calls.LibraryOptions
	Count       Count
	Sensitivity Sensitivity
	Network     bool          // count the bytes that are sent and received
	Duration    time.Duration // time until the run stops and the target lives on; 0: at its end
	Counters    []string      // counters to count; none: the best set that the machine can count
	Collections string        // JVMs whose garbage collections are followed: see collections
	User        string        // user of the command; empty: ebb's own
	KeepEnv     []string      // variables of ebb's environment that User's command gets
	RecordOnly  bool          // write nothing to the machine and trace without gaps
	Takeover    bool          // set frequencies although others do too
	// Alone has a run beside a service that governs fail, instead of taking a lease from it.
	Alone bool
	// ContainerEnd has frequencies set in a container, whose end leaves them as they are.
	ContainerEnd bool
	Quiet        bool   // print no summary
	Verbose      bool   // print the whole summary
	Live         string // display of the run on a terminal: one of Lives; empty: LiveTable
	// Then is called with the report at the end; nil for nothing.
	Then func(*report.Report) error

	calibrate bool // neither quantum nor hold-off was given
}

// Target names a target that runs already; at most one of them is set, and none for a command.
type Target struct {
	PID    int
	Cgroup string // path of a cgroup
	Unit   string // name of a unit of systemd's
}

// Files are the names of the files to write; empty for those that are not wanted.
type Files struct{ Report, Recording, Epochs string }

// Roots are the directories of the machine's attributes and processes, and of the snapshot of the
// machine's settings. Meter is the root of the energy meters' attributes, such as a tree that the
// host shares with a guest; empty: Sysfs.
type Roots struct{ Sysfs, Proc, RunDir, Meter string }

// Table2 names the default power model, of no machine in particular: the paper's.
const Table2 = "table2"

// Methods has the settings of the attribution of energy to threads and methods.
type Methods struct {
	Wanted bool
	// Threads attributes energy to threads, by their exact times, where methods are not wanted.
	Threads bool
	Regions bool          // look for the program's marks
	Trace   string        // directory for tables of the windows; empty: none
	Rate    int           // samples of a thread per second of its CPU time
	Exactly bool          // the user asked for that rate: it does not give way to the budget
	WarmUp  time.Duration // at the start that is left out
	// Window is the time from one reading of the meters to the next, over which energy is divided;
	// 0: attribution.Period, or what a trained model needs.
	Window time.Duration
	// Rules divide the energy, by their names in package energy; none: energy.DefaultRules.
	Rules []string
	TDP   units.Power // the processor's, for e-Surgeon's formula; 0: none
	// AsIf is Table2 for that model's joules, as the paper has them. Empty: without a meter or
	// another model there are no joules.
	AsIf string
	// PowerModel takes a meter's place where there is none; nil for none. OtherMachine uses it
	// although it was trained on another CPU model or number of CPUs.
	PowerModel   *powermodel.Model
	OtherMachine bool
}

// attaches reports whether the target runs already.
func (s *Settings) attaches() bool { return s.Target != Target{} || s.Tenants.File != "" }

// writesNothing reports whether the run was asked for in shadow mode.
func (s *Settings) writesNothing() bool { return s.Shadow || s.RecordOnly }

// complete validates the settings and derives those that follow from others.
func (s *Settings) complete(argv []string) error {
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
	if err := s.checkFunctions(); err != nil {
		return err
	}
	if err := s.checkCount(); err != nil {
		return err
	}
	if err := s.checkSensitivity(); err != nil {
		return err
	}
	if err := s.Stream.check(); err != nil {
		return err
	}
	if s.Stream.wanted() && !s.Methods.Wanted {
		s.Methods.Threads = true
	}
	if s.Network || s.Functions.Wanted || len(s.Count.Functions) > 0 || s.Methods.Regions ||
		s.Stream.wanted() || s.Sensitivity.Table != nil || s.Tenants.File != "" {
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
