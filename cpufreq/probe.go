package cpufreq

import (
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// Choice is an actuator that a machine allows, and the reason for it.
type Choice struct {
	Name   string // SetSpeed, Clamp or Shadow
	Reason string
}

// Probe returns the actuators to try, best first, for the domains that have one of the CPUs (no
// CPUs: all). It writes nothing: Start finds out whether the files take values. The last is always
// the shadow actuator.
func (h *Host) Probe(cpus []sysfs.CPU) []Choice {
	var used []*Domain
	for i := range h.Domains {
		if h.Domains[i].has(cpus) {
			used = append(used, &h.Domains[i])
		}
	}
	if len(used) == 0 {
		return []Choice{{Shadow, "none of the CPUs belongs to a frequency domain that can be read"}}
	}
	var choices []Choice
	why := unfitForSetSpeed(used)
	if why == "" {
		why = h.unwritable(used, governorFile, speedFile)
	}
	if why == "" {
		choices = append(choices, Choice{SetSpeed,
			fmt.Sprintf("driver %s has the userspace governor", used[0].driver())})
	}
	unclampable := h.unwritable(used, minFile, maxFile)
	if unclampable == "" {
		choices = append(choices, Choice{Clamp,
			fmt.Sprintf("setting both limits to one frequency binds any driver; not setspeed: %s",
				orTried(why))})
	}
	if unclampable == "" {
		unclampable = "nor do the limits have an effect"
	}
	return append(choices, Choice{Shadow,
		fmt.Sprintf("no control: %s; %s", orTried(why), unclampable)})
}

func orTried(why string) string {
	if why == "" {
		return "setting the speed has no effect"
	}
	return why
}

// unfitForSetSpeed returns the reason why scaling_setspeed does not set the frequency in all the
// domains; "" when it does.
//
// intel_cpufreq on hardware-managed P-states is unfit although it has the governor: before Linux
// 6.17 a speed is only the lowest performance level there and the hardware may go as high as the
// policy's maximum. Distributions may have taken the change into older kernels, and the clamp is
// right with every kernel.
func unfitForSetSpeed(used []*Domain) string {
	for _, d := range used {
		switch {
		case d.Driver == "intel_cpufreq" && d.EPP:
			return "with hardware-managed P-states it is only a lower bound before Linux 6.17"
		case slices.Contains(d.Governors, userspace):
		case d.Driver == "intel_pstate" || d.Driver == "amd-pstate-epp":
			return fmt.Sprintf("driver %s chooses frequencies itself and has no userspace governor",
				d.Driver)
		default:
			return fmt.Sprintf(
				"policy%d has no userspace governor (modprobe cpufreq_userspace may add it)", d.ID,
			)
		}
	}
	return ""
}

// unwritable returns the reason why one of the files cannot be opened for writing; "" when all can.
func (h *Host) unwritable(used []*Domain, files ...string) string {
	for _, d := range used {
		for _, name := range files {
			if err := h.fs.Writable(d.ID.Dir() + "/" + name); err != nil {
				return err.Error()
			}
		}
	}
	return ""
}

func (d *Domain) driver() string {
	if d.Driver == "" {
		return "(unnamed)"
	}
	return d.Driver
}

// Writable returns an error when the controls of some domain cannot be opened for writing.
func (h *Host) Writable() error {
	for i := range h.Domains {
		for _, name := range []string{governorFile, minFile, maxFile} {
			if err := h.fs.Writable(h.Domains[i].ID.Dir() + "/" + name); err != nil {
				return err
			}
		}
	}
	return nil
}
