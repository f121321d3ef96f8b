package host

import (
	"fmt"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// throttled returns the kernel's counts of throttling (arch/x86/kernel/cpu/mce/therm_throt.c),
// summed over all CPUs: those of a core or a package are counted once for each CPU that shares it.
// Not all kernels have counts of the power limit.
func (h *host) throttled() (t qualify.Throttled) {
	for _, cpu := range h.cpus.CPUs() {
		dir := fmt.Sprintf("devices/system/cpu/cpu%d/thermal_throttle/", cpu)
		for name, to := range map[string]*int64{"core_throttle_count": &t.Core,
			"package_throttle_count": &t.Package, "core_power_limit_count": &t.CorePower,
			"package_power_limit_count": &t.PackagePower} {
			if n, err := h.fs.ReadInt(dir + name); err == nil {
				*to += n
				t.Known = true
			}
		}
	}
	t.Cooled = cpufreq.Cooled(h.fs)
	return t
}

// since returns the counts between two readings.
func since(before, after qualify.Throttled) qualify.Throttled {
	return qualify.Throttled{Core: after.Core - before.Core,
		Package:      after.Package - before.Package,
		CorePower:    after.CorePower - before.CorePower,
		PackagePower: after.PackagePower - before.PackagePower,
		Cooled:       before.Cooled || after.Cooled, Known: after.Known}
}
