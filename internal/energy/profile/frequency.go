package profile

import "github.com/ebb-energy/ebb/units"

// part is the part of a stack that belongs to one unit of a view. It is the whole stack, or what
// the stack used at one frequency where the view distinguishes frequencies.
type part struct {
	unit    string
	samples int
	time    int64   // ns
	energy  []int64 // by rule
}

// unknownFrequency is the unit of energy at an unknown frequency.
const unknownFrequency = "[unknown frequency]"

// parts divides a stack, which had so much CPU time, into the units that v distinguishes. The parts
// add up to the stack.
func (v *View) parts(s *Stack, time int64) []part {
	whole := part{v.unit(s), s.Samples, time, s.EnergyNJ}
	if v.by != "frequency" && v.by != "method@frequency" {
		return []part{whole}
	}
	rest := part{v.at(whole.unit, 0), s.Samples, time, append([]int64(nil), s.EnergyNJ...)}
	var out []part
	for _, f := range s.ByFrequency {
		if len(f.EnergyNJ) != len(rest.energy) {
			continue // an older report, without this part
		}
		had := f.CPUNS
		if s.CPUNS == 0 && s.Samples > 0 {
			had = int64(float64(time) * float64(f.Samples) / float64(s.Samples))
		}
		rest.samples -= f.Samples
		rest.time -= had
		for i, e := range f.EnergyNJ {
			rest.energy[i] -= e
		}
		out = append(out, part{v.at(whole.unit, units.Frequency(f.FreqHz)),
			f.Samples, had, f.EnergyNJ})
	}
	for _, e := range rest.energy {
		if e != 0 || rest.samples > 0 {
			return append(out, rest)
		}
	}
	return out
}

// at returns the unit for what another unit did at a frequency.
func (v *View) at(unit string, f units.Frequency) string {
	name := unknownFrequency
	if f > 0 {
		name = f.String()
	}
	if v.by == "frequency" {
		return name
	}
	return unit + " @ " + name
}
