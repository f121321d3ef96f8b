package machine

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// openCounters opens the counters of cycles and instructions on every CPU. It returns nil on a
// machine without them, such as most virtual ones. why says for which reason counters that exist
// cannot be used.
func openCounters(layout *sysfs.Layout) (set *perfevent.Set, why string, err error) {
	named, err := hpc.Named([]string{hpc.Cycles, hpc.Instructions}, inventory.Families())
	if err != nil {
		return nil, "", fmt.Errorf("choose the counters of groups: %w", err)
	}
	var cpus []int
	for _, c := range layout.CPUs() {
		cpus = append(cpus, int(c))
	}
	set, err = perfevent.Open(named, cpus)
	switch {
	case errors.Is(err, perfevent.ErrNotSupported):
		return nil, "", nil
	case err != nil:
		return nil, "without counters: " + err.Error(), nil
	}
	return set, "", nil
}
