package train

import (
	"errors"
	"strings"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/power/activity"
)

// say takes a sentence for people.
type say func(format string, args ...any)

// OpenHardware opens what this machine has beside its kernel's counts: the counters that ebb run
// counts by itself, and its clock. A missing one is no error: say gets a sentence. The returned
// function closes the counters.
func OpenHardware(fs *sysfs.FS, say say) (h activity.Hardware, _ func() error, err error) {
	machine, err := sysfs.ReadLayout(fs)
	if err != nil {
		return h, nil, err
	}
	if host, err := cpufreq.Open(fs); err == nil && host.Clock() > 0 {
		h.Frequency = host.Clock
	}
	open, set, _, err := perfevent.Best(hpc.Sets(inventory.Families()), machine.Numbers())
	if err != nil {
		if !errors.Is(err, perfevent.ErrNotSupported) {
			say("warning: hardware counters are no inputs: %v", err)
		}
		return h, func() error { return nil }, nil
	}
	say("counters: %s", strings.Join(set.Counters, ", "))
	h.Counters, h.FDs = set.Counters, open.FDs()
	return h, open.Close, nil
}
