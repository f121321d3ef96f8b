package cpufreq

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Limits describes the states to choose from, and the limits that narrow the choice.
type Limits struct {
	States  int             // number of states to choose from
	Highest units.Frequency // highest clock that can be set
	// Hardware is the highest clock that the processor itself has (cpuinfo_max_freq).
	Hardware units.Frequency
	// File is the attribute below /sys that keeps the clock below Hardware, or else the one that
	// leaves a single state; "" where there is none.
	File string
	// Turbo: the highest state stands for more than its number. acpi-cpufreq names turbo by a state
	// 1 MHz above the nominal clock, such as 2401 MHz, or ends its table at that clock, from which
	// AMD's processors boost while the switch is on.
	Turbo bool
	// Uneven is the attribute that keeps a domain's clock below Highest although its hardware has
	// more, and UnevenAt is that clock: the lowest of such domains. "" where there is none.
	Uneven   string
	UnevenAt units.Frequency
	// Unread is the directory of a policy that has CPUs online and lacks the attributes needed to
	// set their clock; "" for none.
	Unread string
}

// Fixed reports whether there is nothing to choose.
func (l *Limits) Fixed() bool { return l.States < 2 }

// Narrow reports whether a limit keeps the clock below the hardware's highest.
func (l *Limits) Narrow() bool { return l.File != "" && l.Highest < l.Hardware }

// marker is the distance by which a state that stands for turbo is above the nominal clock.
const marker = 1000 * kHz

// perfLimit is intel_pstate's own limit, in percent of the highest clock. It is in no limit of a
// policy.
const perfLimit = "devices/system/cpu/intel_pstate/max_perf_pct"

// Limits describes the choice among the states of the domains that have one of the CPUs (no CPUs:
// all).
func (h *Host) Limits(cpus []sysfs.CPU) Limits {
	states := h.States(cpus)
	if len(states) == 0 {
		return Limits{}
	}
	l := Limits{States: len(states), Highest: states[len(states)-1]}
	for _, s := range h.Skipped {
		if s.Online && l.Unread == "" {
			l.Unread = s.Domain.Dir()
		}
	}
	var widest *Domain // widest of the domains that the hardware lets run the fastest
	for i := range h.Domains {
		d := &h.Domains[i]
		if !d.has(cpus) || d.away {
			continue
		}
		if widest == nil || d.HardwareMax > widest.HardwareMax ||
			d.HardwareMax == widest.HardwareMax && d.Max > widest.Max {
			widest = d
		}
	}
	if widest == nil { // all are away
		return l
	}
	l.Hardware = max(widest.HardwareMax, l.Highest)
	l.Turbo = widest.turbo() && l.Highest == widest.States[len(widest.States)-1]
	switch {
	case widest.Max < widest.HardwareMax:
		l.File = h.lowered(widest)
	case l.Fixed() && widest.Min > widest.HardwareMin:
		l.File = widest.ID.Dir() + "/" + minFile
	}
	h.percent(&l, states)
	h.uneven(&l, cpus)
	return l
}

// uneven finds the domain whose own limit keeps it the farthest below the others.
func (h *Host) uneven(l *Limits, cpus []sysfs.CPU) {
	for i := range h.Domains {
		d := &h.Domains[i]
		if !d.has(cpus) || d.away || d.Max >= min(d.HardwareMax, l.Highest) {
			continue
		}
		if l.Uneven == "" || d.Max < l.UnevenAt {
			l.Uneven, l.UnevenAt = h.lowered(d), d.Max
		}
	}
	if l.Uneven == l.File {
		l.Uneven, l.UnevenAt = "", 0
	}
}

// lowered returns the file that lowers a domain's maximum: the firmware's limit where it is as low,
// or else the owner's.
func (h *Host) lowered(d *Domain) string {
	const firmware = "bios_limit"
	r := reader{fs: h.fs, dir: d.ID.Dir()}
	if f := r.frequency(firmware); f > 0 && f <= d.Max {
		return d.ID.Dir() + "/" + firmware
	}
	return d.ID.Dir() + "/" + maxFile
}

// percent takes intel_pstate's own limit into account.
func (h *Host) percent(l *Limits, states []units.Frequency) {
	p, err := h.fs.ReadInt(perfLimit)
	if err != nil || p <= 0 || p >= 100 {
		return
	}
	if most := l.Hardware / 100 * units.Frequency(p); most < l.Highest {
		l.Highest, l.File, l.Turbo = max(most, states[0]), perfLimit, false
		above, _ := slices.BinarySearch(states, most+1)
		l.States = max(above, 1)
	}
}

// turbo reports whether the domain's highest state stands for turbo.
func (d *Domain) turbo() bool {
	n := len(d.States)
	if d.Synthesised || n < 2 || d.Boost == BoostOff {
		return false
	}
	top := d.States[n-1]
	if top-d.States[n-2] == marker {
		return true
	}
	return top%synthesisedStep == marker || top < d.HardwareMax ||
		d.Boost == BoostOn && d.Driver == "acpi-cpufreq"
}

// LimitsOf returns the limits of an actuator's choice, as they were before the actuator set
// anything; ok is false for one that sets nothing.
func LimitsOf(a Actuator) (l Limits, ok bool) {
	s, ok := a.(*session)
	if !ok {
		return l, false
	}
	return s.host.Limits(s.cpus), true
}
