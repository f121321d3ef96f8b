package wattmeter

import "github.com/ebb-energy/ebb/units"

const (
	// unlimited is the power from which on a limit stands for none: firmware writes 4095 W, for
	// one.
	unlimited units.Power = 2000
	// mostPart bounds the power of any package, or of its memory, where nothing says more.
	mostPart units.Power = 1000
	// MostPlatform bounds the power of a whole machine, in W.
	MostPlatform units.Power = 20_000
	// turbo is the factor by which a processor exceeds its thermal design power, or the mean
	// servers of the spec table, for a second.
	turbo = 2
)

// Plausible returns the most power that a meter's zone can show over a second, and says where that
// is from. Kind is one of rapl's: "package", "cores", "graphics", "dram" or "psys". Own is the
// zone's own highest power limit; 0 where it has none.
//
// A guest can see the meter of its whole host: the spec table, which goes by the guest's CPUs, says
// nothing of that.
func Plausible(f *Facts, kind string, own units.Power) (most units.Power, by string) {
	processor := kind == "package" || kind == "cores" || kind == "graphics"
	switch table := spec(f); {
	case own > 0 && own < unlimited:
		return own, "its own power limits allow"
	case kind == "psys":
		return MostPlatform, "any machine draws"
	case processor && f.TDP > 0:
		return turbo * f.TDP, "twice the thermal design power is"
	case processor && table.Usable && !f.Guest && !f.Shared:
		return units.Power(turbo * table.HighW), "twice the spec table's full load is"
	}
	return mostPart, "any processor draws"
}
