package bench

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// Kind names the chooser of the frequency.
type Kind string

const (
	// Static: always the same frequency.
	Static Kind = "static"
	// Default: nobody touches what was found on the machine.
	Default Kind = "default"
	// Slowdown: ebb, with the least processor energy within a budget.
	Slowdown Kind = "slowdown"
	// SystemEnergy: ebb, with the least energy of processor, memory and platform.
	SystemEnergy Kind = "system-energy"
)

// Setting is one way to run the program.
type Setting struct {
	Kind      Kind            `json:"kind"`
	Frequency units.Frequency `json:"frequency,omitempty"` // for Static
	Slowdown  units.Slowdown  `json:"budget,omitempty"`    // for Slowdown
	// Governor names the kernel's choice with Default, for people.
	Governor string `json:"governor,omitempty"`
}

// id names the setting in a journal; no two of a plan have the same.
func (s Setting) id() string {
	switch s.Kind {
	case Static:
		return "static:" + s.Frequency.String()
	case Slowdown:
		return "ebb:" + s.Slowdown.String()
	case SystemEnergy:
		return "ebb:system-energy"
	}
	return string(s.Kind)
}

// String returns the setting's name for people.
func (s Setting) String() string {
	switch s.Kind {
	case Static:
		return s.Frequency.String()
	case Slowdown:
		return "ebb " + s.Slowdown.String()
	case SystemEnergy:
		return "ebb system-energy"
	}
	if s.Governor == "" {
		return "as found"
	}
	return fmt.Sprintf("as found (%s)", s.Governor)
}

// dynamic reports whether ebb chooses the frequency.
func (s Setting) dynamic() bool { return s.Kind == Slowdown || s.Kind == SystemEnergy }

// Settings returns the settings of a plan: the states from the highest down, the machine as found,
// ebb at each budget, and ebb for the system's energy when asked.
func Settings(
	states []units.Frequency, governor string, budgets []units.Slowdown, systemEnergy bool,
) []Setting {
	var all []Setting
	for i := len(states) - 1; i >= 0; i-- {
		all = append(all, Setting{Kind: Static, Frequency: states[i]})
	}
	all = append(all, Setting{Kind: Default, Governor: governor})
	for _, b := range budgets {
		all = append(all, Setting{Kind: Slowdown, Slowdown: b})
	}
	if systemEnergy {
		all = append(all, Setting{Kind: SystemEnergy})
	}
	return all
}

// names joins settings for a sentence.
func names(all []Setting) string {
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	return b.String()
}
