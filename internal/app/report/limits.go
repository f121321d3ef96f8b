package report

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/units"
)

// Limits says what narrows the choice of frequencies on a machine.
type Limits struct {
	States     int   `json:"states"`           // number of states to choose from
	HighestHz  int64 `json:"highest_freq_hz"`  // highest clock that can be had
	HardwareHz int64 `json:"hardware_freq_hz"` // highest clock of the processor
	// File is the attribute that lowers the highest clock, or leaves one state; "" where there is
	// none.
	File string `json:"file"`
	// Turbo says that the highest state stands for turbo, whose clock is at least the state's
	// number.
	Turbo bool `json:"turbo"`
	// Uneven is the attribute that keeps some CPUs below HighestHz, at UnevenHz.
	Uneven   string `json:"uneven_file,omitempty"`
	UnevenHz int64  `json:"uneven_freq_hz,omitempty"`
}

// judgeLimits adds the states that there were to choose from.
func (r *Report) judgeLimits(f *verdict.Facts) {
	l := r.Limits
	if l == nil || r.Actuator == "shadow" {
		return
	}
	f.Highest, f.Hardware = units.Frequency(l.HighestHz), units.Frequency(l.HardwareHz)
	f.LimitedBy, f.OneClock = l.File, l.States == 1
	f.Uneven, f.UnevenAt = l.Uneven, units.Frequency(l.UnevenHz)
	f.AtLeast = l.Turbo && !r.countsClock()
}

// limitLine says that the highest state stands for more than its number.
func (r *Report) limitLine(p func(string, string, ...any)) {
	if l := r.Limits; l != nil && l.Turbo && !r.countsClock() {
		p("", "%s stands for turbo: the clock there was at least that, and no counter shows which",
			units.Frequency(l.HighestHz).Text())
	}
}

// countsClock reports whether the cycle counter shows the clock that was delivered.
func (r *Report) countsClock() bool { return slices.Contains(r.Counters, "cycles") }
