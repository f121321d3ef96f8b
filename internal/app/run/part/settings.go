package part

import (
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/calls"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
	"github.com/ebb-energy/ebb/units"
)

// Settings are the settings of one target's run that its parts look at. Errors name them by ebb
// run's flags, and the settings in Config by the configuration's keys.
type Settings struct {
	config.Config
	Target      Target
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

// MachineMeter names a meter of the whole machine; at most one of them is set.
type MachineMeter struct {
	Log    string // file that another program writes
	Sensor string // sensor of the hwmon class
	Share  string // file in which the host writes how much this guest used
}

// Count names the functions whose calls are counted, in files that were not compiled for that.
type Count struct {
	// Functions are names, or FILE:NAME; without a file they are the program's own.
	Functions []string
	Stepped   bool // also count where the kernel stops a thread twice at each call
}

// Sensitivity has the settings of the sampling of functions: for use of a table, or to record one.
type Sensitivity struct {
	Table *sensitivity.Table // nil: none is used
	File  string             // name of the table's file; in a recording, of the file to be written
}

// Stream has the settings of what is shown of a run's energy while it goes on.
type Stream struct {
	Every time.Duration // --interval: time between two tables; 0: none is printed
	File  string        // file for lines of JSON; empty: none
}

// CollectionsAuto is the value of Settings.Collections that follows the JVMs that can be found. Any
// other but "off" is a file. Empty is auto with the model coop, else off.
const CollectionsAuto = "auto"

// Attaches reports whether the target runs already.
func (s *Settings) Attaches() bool { return s.Target != Target{} }

// Wanted reports whether anything is shown.
func (s *Stream) Wanted() bool { return s.Every != 0 || s.File != "" }

// Named reports whether the user answers for the power model: by its parameters, or by --as-if. The
// default's parameters describe no machine in particular, and give no joules.
func (s *Settings) Named() bool { return !s.Power.Guessed() || s.Methods.AsIf != "" }

// WritesNothing reports whether the run was asked for in shadow mode.
func (s *Settings) WritesNothing() bool { return s.Shadow || s.RecordOnly }
