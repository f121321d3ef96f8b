package cpufreq

import (
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Boost reports whether the hardware may exceed its nominal frequency.
type Boost uint8

const (
	BoostUnknown Boost = iota // the machine does not say
	BoostOff
	BoostOn
)

func (b Boost) String() string { return [...]string{"unknown", "off", "on"}[b] }

// readBoost asks in this order: the policy's own switch, intel_pstate's no_turbo, the global
// switch.
func readBoost(fs *sysfs.FS, id sysfs.Domain) Boost {
	for _, s := range []struct {
		path string
		on   int64
	}{
		{id.Dir() + "/boost", 1},
		{"devices/system/cpu/intel_pstate/no_turbo", 0},
		{"devices/system/cpu/cpufreq/boost", 1},
	} {
		switch v, err := fs.ReadInt(s.path); {
		case err != nil:
		case v == s.on:
			return BoostOn
		default:
			return BoostOff
		}
	}
	return BoostUnknown
}
