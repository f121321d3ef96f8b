package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// speed is the attribute of the governor userspace.
const speed = "scaling_setspeed"

// kept are the attributes of a frequency domain that ebb or another program may change.
var kept = []string{"scaling_governor", "scaling_min_freq", "scaling_max_freq", speed,
	"energy_performance_preference"}

// controls returns the machine's settings, by path. It leaves out unreadable ones.
func (h *host) controls() map[string]string {
	all := map[string]string{}
	domains, err := sysfs.Domains(h.fs)
	if err != nil {
		return all
	}
	for _, d := range domains {
		governor := ""
		for _, name := range kept {
			if name == speed && governor != "userspace" {
				continue // without that governor it means nothing, and reads as anything
			}
			if v, err := h.fs.Read(d.Dir() + "/" + name); err == nil {
				all[fmt.Sprintf("policy%d/%s", d, name)] = strings.TrimSpace(v)
				if name == kept[0] {
					governor = strings.TrimSpace(v)
				}
			}
		}
	}
	return all
}

// differences returns a sentence for each setting that changed.
func differences(was, is map[string]string) []string {
	out := []string{}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if now, ok := is[path]; !ok {
			out = append(out, path+" cannot be read any more")
		} else if now != was[path] {
			out = append(out, fmt.Sprintf("%s is %s, was %s", path, now, was[path]))
		}
	}
	return out
}
