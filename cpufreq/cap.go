package cpufreq

import (
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// capped reports whether the kernel itself can have lowered a domain's limits to found, a value
// below the one that was written. scaling_min_freq and scaling_max_freq show the limits in effect,
// which are the lowest of all requests: the file's writer, firmware (_PPC), cooling devices and the
// boost switch. Without it a hot processor would look like another program. It opens files, so it
// is called only when a limit is not what was written.
func capped(fs *sysfs.FS, d sysfs.Domain, found, written units.Frequency) bool {
	if found >= written {
		return false // a cap lowers
	}
	r := reader{fs: fs, dir: d.Dir()}
	if hw := r.frequency("cpuinfo_max_freq"); hw != 0 && hw < written {
		return true // boost was switched off
	}
	if bios := r.frequency("bios_limit"); bios != 0 && bios < written {
		return true
	}
	return Cooled(fs)
}

const coolingDir = "class/thermal"

// Cooled reports whether a cooling device holds back any CPU's frequency now. Devices do not name
// their domain uniformly, so one anywhere counts.
func Cooled(fs *sysfs.FS) bool {
	names, err := fs.Names(coolingDir)
	if err != nil {
		return false
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "cooling_device") {
			continue
		}
		kind, err := fs.Read(coolingDir + "/" + name + "/type")
		if err != nil || (kind != "Processor" && !strings.HasPrefix(kind, "cpufreq-")) {
			continue
		}
		if state, err := fs.ReadInt(coolingDir + "/" + name + "/cur_state"); err == nil &&
			state > 0 {
			return true
		}
	}
	return false
}
