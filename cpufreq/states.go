package cpufreq

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// synthesisedStep is the distance of the states where the driver lists none: the step of Intel's
// performance ratios. Processors with finer steps lose little.
const synthesisedStep = 100_000 * kHz

// maxStates bounds a domain's states; drivers have up to about 50.
const maxStates = 1024

// readStates returns the driver's own table, with its boost frequencies while boost is on, or else
// synthesised steps.
func readStates(r *reader, d *Domain) (states []units.Frequency, synthesised bool) {
	states = parseFrequencies(r.text("scaling_available_frequencies"))
	if len(states) == 0 {
		return synthesise(d.HardwareMin, d.HardwareMax), true
	}
	if d.Boost != BoostOff {
		for _, f := range parseFrequencies(r.text("scaling_boost_frequencies")) {
			if f <= d.HardwareMax {
				states = append(states, f)
			}
		}
	}
	slices.Sort(states)
	return slices.Compact(states), false
}

// parseFrequencies reads a list in kHz; entries that are no frequency are skipped, because one odd
// entry is no reason to do without the others.
func parseFrequencies(list string) []units.Frequency {
	var states []units.Frequency
	for field := range strings.FieldsSeq(list) {
		v, err := strconv.ParseInt(field, 10, 64)
		if err == nil && v > 0 && units.Frequency(v) <= maxFrequency/kHz &&
			len(states) < maxStates {
			states = append(states, units.Frequency(v)*kHz)
		}
	}
	slices.Sort(states)
	return slices.Compact(states)
}

// synthesise returns lo, hi and the multiples of synthesisedStep between them.
func synthesise(lo, hi units.Frequency) []units.Frequency {
	states := []units.Frequency{lo}
	first := (lo/synthesisedStep + 1) * synthesisedStep
	for f := first; f < hi && len(states) < maxStates; f += synthesisedStep {
		states = append(states, f)
	}
	if hi > lo {
		states = append(states, hi)
	}
	return states
}

// atLeast returns the lowest state that is not below f, or the highest state.
func atLeast(states []units.Frequency, f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, f)
	return states[min(i, len(states)-1)]
}
