package qualify

import "time"

// Format is the version of the JSON's form.
const Format = 1

// Result has the findings on a machine.
type Result struct {
	Format  int     `json:"format"`
	Version string  `json:"ebb_version"`
	Date    string  `json:"date"` // day of the result
	Machine Machine `json:"machine"`
	Plan    Plan    `json:"plan"`
	Steps   []Step  `json:"steps"`
	// Settings is the number of the machine's settings that were read at the beginning; nil in
	// results of older versions. Changed are those that differed at the end.
	Settings    *int     `json:"settings,omitempty"`
	Changed     []string `json:"changed_settings"`
	Interrupted bool     `json:"interrupted"`
	Verdict     Verdict  `json:"verdict"`
}

// Machine describes a machine.
type Machine struct {
	Kernel    string `json:"kernel"`
	Processor string `json:"cpu_model"`
	CPUs      int    `json:"cpus"`
	Cores     int    `json:"cores"`
	Packages  int    `json:"packages"`
	Guest     bool   `json:"virtual_machine"`
}

// State is the outcome of a step.
type State string

// The states of a step.
const (
	Finished State = "finished"
	Skipped  State = "skipped" // its reason says what is absent
	Failed   State = "failed"
	NotRun   State = "not run" // not asked for, or interrupted before
)

// Absence is the kind of a thing's absence.
type Absence string

// The kinds of absence.
const (
	NotSupported Absence = "not supported"
	Refused      Absence = "refused"
	Unknown      Absence = "could not find out"
)

// JVMProgram names the program of a JVM among what a step did without. Its failure is not ebb's.
const JVMProgram = "the program of a JVM"

// Missing is something that a step did without.
type Missing struct {
	What    string  `json:"what"`
	Absence Absence `json:"absence"`
	Because string  `json:"because"`
}

// Step is one of the steps. It has at most one kind of findings.
type Step struct {
	Number  int     `json:"step"`
	State   State   `json:"state"`
	Absence Absence `json:"absence,omitempty"` // absence of what a skipped step needs
	Because string  `json:"because,omitempty"`
	TookNS  int64   `json:"took_ns"`
	// Missing are parts of the step that were not there.
	Missing   []Missing `json:"missing"`
	Throttled Throttled `json:"throttled"`

	There       *There       `json:"there,omitempty"`
	Requests    *Requests    `json:"requests,omitempty"`
	Counters    *Counters    `json:"counters,omitempty"`
	Meters      *Meters      `json:"meters,omitempty"`
	Predictions *Predictions `json:"predictions,omitempty"`
	Killed      *Killed      `json:"killed,omitempty"`
	// Comparisons are the findings of steps 6 and 7.
	Comparisons []Comparison `json:"comparisons,omitempty"`
}

// Took returns the step's time.
func (s *Step) Took() time.Duration { return time.Duration(s.TookNS) }

// Throttled counts how often the hardware held the clocks back, as the kernel counted it during a
// step, over all CPUs.
type Throttled struct {
	Core         int64 `json:"core_thermal"`
	Package      int64 `json:"package_thermal"`
	CorePower    int64 `json:"core_power_limit"`
	PackagePower int64 `json:"package_power_limit"`
	// Cooled: a cooling device of the kernel held a clock back.
	Cooled bool `json:"cooling_device"`
	// Known: the machine counts any of it.
	Known bool `json:"known"`
}

// Any reports whether something held the clocks back.
func (t Throttled) Any() bool {
	return t.Core > 0 || t.Package > 0 || t.CorePower > 0 || t.PackagePower > 0 || t.Cooled
}

// Step returns the step of a number, nil where there is none.
func (r *Result) Step(number int) *Step {
	for i := range r.Steps {
		if r.Steps[i].Number == number {
			return &r.Steps[i]
		}
	}
	return nil
}
