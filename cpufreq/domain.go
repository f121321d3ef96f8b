package cpufreq

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Domain is one frequency domain (a policyN directory) as it was when it was read.
type Domain struct {
	ID     sysfs.Domain
	CPUs   []sysfs.CPU // related_cpus: all CPUs of the domain, online or not
	Online []sysfs.CPU // affected_cpus

	Driver    string   // scaling_driver; "" when the kernel does not say
	Governor  string   // scaling_governor
	Governors []string // scaling_available_governors
	// EPP: the domain has an energy_performance_preference, so the hardware or the driver chooses
	// frequencies.
	EPP bool

	// Min and Max are scaling_min_freq and scaling_max_freq: the range that the machine's owner
	// allows.
	Min, Max                 units.Frequency
	HardwareMin, HardwareMax units.Frequency // cpuinfo_min_freq, cpuinfo_max_freq

	// States are the frequencies that can be asked for, ascending, whatever the limits.
	States []units.Frequency
	// Synthesised: the driver lists no frequencies, and States are multiples of synthesisedStep
	// between the hardware's limits.
	Synthesised bool
	Boost       Boost

	away bool // none of its CPUs is online, so that no state can be chosen
}

// allowed returns the states within the limits Min and Max, ascending. When the limits leave no
// state, it is Max alone: the kernel resolves it.
func (d *Domain) allowed() []units.Frequency {
	var in []units.Frequency
	for _, f := range d.States {
		if d.Min <= f && f <= d.Max {
			in = append(in, f)
		}
	}
	if len(in) == 0 {
		return []units.Frequency{d.Max}
	}
	return in
}

// readDomain reads a policy. It needs only the controls: governor and limits. Other attributes may
// be missing.
func readDomain(fs *sysfs.FS, id sysfs.Domain) (Domain, error) {
	d := Domain{ID: id}
	r := reader{fs: fs, dir: id.Dir()}
	d.Governor = r.text(governorFile)
	d.Min = r.frequency(minFile)
	d.Max = r.frequency(maxFile)
	if r.err != nil {
		return d, r.err
	}
	if d.Min > d.Max {
		return d, fmt.Errorf("%s: %w: %s %d is above %s %d Hz", id.Dir(), sysfs.ErrMalformed,
			minFile, d.Min, maxFile, d.Max)
	}
	optional := reader{fs: fs, dir: id.Dir()}
	d.Driver = optional.text("scaling_driver")
	d.Governors = strings.Fields(optional.text("scaling_available_governors"))
	d.EPP = optional.text("energy_performance_preference") != ""
	d.HardwareMin = cmpOr(optional.frequency("cpuinfo_min_freq"), d.Min)
	d.HardwareMax = cmpOr(optional.frequency("cpuinfo_max_freq"), d.Max)
	d.CPUs = optional.cpus(fs, id, "related_cpus")
	d.Online = optional.cpus(fs, id, "affected_cpus")
	if len(d.CPUs) == 0 {
		d.CPUs = []sysfs.CPU{sysfs.CPU(id)} // a policy has the number of its first CPU
	}
	d.away = d.offline(fs)
	d.Boost = readBoost(fs, id)
	d.States, d.Synthesised = readStates(&optional, &d)
	return d, nil
}

// offline reports whether none of the domain's CPUs is online, by the domain's own list or by the
// machine's. A kernel that has neither list says nothing, and a CPU is then taken to be online.
func (d *Domain) offline(fs *sysfs.FS) bool {
	if affected, err := sysfs.DomainCPUs(fs, d.ID, "affected_cpus"); err == nil &&
		len(affected) == 0 {
		return true
	}
	text, err := fs.Read("devices/system/cpu/online")
	if err != nil {
		return false
	}
	online, err := sysfs.ParseCPUs(text)
	return err == nil && !slices.ContainsFunc(d.CPUs,
		func(c sysfs.CPU) bool { return slices.Contains(online, c) })
}

// has reports whether the domain has one of the CPUs; an empty list stands for all.
func (d *Domain) has(cpus []sysfs.CPU) bool {
	return len(cpus) == 0 || slices.ContainsFunc(d.CPUs,
		func(c sysfs.CPU) bool { return slices.Contains(cpus, c) })
}
