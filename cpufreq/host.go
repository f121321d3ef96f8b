package cpufreq

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// ErrNone: the machine has no frequency domain, as most virtual machines.
var ErrNone = errors.New("the machine has no frequency domain")

// Host holds the machine's frequency domains as they were when they were read.
type Host struct {
	Domains []Domain // ascending by ID
	Skipped []Skipped
	fs      *sysfs.FS
}

// Skipped is a domain that could not be read, such as one whose CPUs are all offline.
type Skipped struct {
	Domain sysfs.Domain
	Err    error
	Online bool // it has CPUs online, whose clock cannot be set
}

// Open reads the domains below fs, the tree at /sys. It fails with ErrNone when there is none. It
// skips domains that cannot be read, and fails when no other is left.
func Open(fs *sysfs.FS) (*Host, error) {
	ids, err := sysfs.Domains(fs)
	if err != nil {
		return nil, fmt.Errorf("find the frequency domains: %w", err)
	}
	if len(ids) == 0 {
		return nil, ErrNone
	}
	h := &Host{fs: fs}
	for _, id := range ids {
		d, err := readDomain(fs, id)
		if err != nil {
			r := reader{fs: fs, dir: id.Dir()}
			h.Skipped = append(h.Skipped, Skipped{id, err, r.text("affected_cpus") != ""})
			continue
		}
		h.Domains = append(h.Domains, d)
	}
	if len(h.Domains) == 0 {
		return nil, fmt.Errorf("none of %d frequency domains can be read: %w", len(ids),
			h.Skipped[0].Err)
	}
	return h, nil
}

// States returns the frequencies to choose from, ascending: the allowed states of the domain that
// reaches the highest frequency among those with one of the CPUs (no CPUs: all). On a hybrid
// machine the other domains follow with their own nearest state. A domain whose CPUs are all
// offline adds none, unless there is no other.
func (h *Host) States(cpus []sysfs.CPU) []units.Frequency {
	var best []units.Frequency
	awake := slices.ContainsFunc(h.Domains,
		func(d Domain) bool { return d.has(cpus) && !d.away })
	for i := range h.Domains {
		if !h.Domains[i].has(cpus) || awake && h.Domains[i].away {
			continue
		}
		a := h.Domains[i].allowed()
		if best == nil || a[len(a)-1] > best[len(best)-1] {
			best = a
		}
	}
	return best
}
