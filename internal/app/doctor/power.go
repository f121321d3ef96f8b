package doctor

import (
	"errors"
	"strings"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/rapl"
)

// examinePower lists the sources of the machine's power, the best first, and names the one that a
// run would take.
func examinePower(fs *sysfs.FS) Finding {
	f := inventory.Power()
	f.NoModel = "ebb run --power-model names one"
	switch m, err := rapl.Open(fs); {
	case err == nil:
		f.Zones, f.NoMeter = m.Counted()
		_ = m.Close() // it was only read
	case errors.Is(err, rapl.ErrPermission):
		f.NoMeter = "reading it needs root"
	}
	machineFacts(fs, &f)
	rungs := wattmeter.Rungs(&f)
	taken := wattmeter.Taken(rungs)
	out := Finding{What: "power", State: Warning}
	if taken == wattmeter.Meter || taken == wattmeter.Hypervisor ||
		taken == wattmeter.Machine {
		out.State = Good
	} else {
		out.Advice = "ebb train makes a power model on a machine of this kind that has a meter"
	}
	var lines []string
	for _, r := range rungs {
		is := "no, "
		if r.Usable {
			is = "yes, "
		}
		lines = append(lines, r.Name+": "+is+r.Detail)
	}
	out.Detail = "by " + taken + " -- " + strings.Join(lines, "; ")
	if taken == wattmeter.None {
		out.Detail = "unknown -- " + strings.Join(lines, "; ")
	}
	return out
}
