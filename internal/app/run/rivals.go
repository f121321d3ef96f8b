package run

import (
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// meetRivals looks for other programs that set this machine's frequencies, before ebb sets any. If
// ebb would set them as well, that is an error without --takeover. In shadow mode it only reports
// them.
func (r *run) meetRivals() error {
	roots := r.settings.Roots
	if roots.Proc == "/proc" && !inventory.KernelsOwn(roots.Sysfs) {
		return nil // rivals set this machine's frequencies, not those of a tree of files
	}
	found, err := cpufreq.FindRivals(cpufreq.RivalPlaces{Proc: roots.Proc, Run: "/run",
		Sys: r.Sysfs})
	if err != nil {
		r.Report.Warnings = append(r.Report.Warnings, err.Error())
	}
	if len(found) == 0 {
		return nil
	}
	for _, rival := range found {
		r.Report.Rivals = append(r.Report.Rivals, rival.String())
	}
	names := cpufreq.RivalNames(found)
	switch {
	case r.settings.WritesNothing() || !r.controllable():
		r.Report.Warnings = append(r.Report.Warnings,
			names+" may set this machine's frequencies meanwhile; the measurements then mix "+
				"different clocks")
	case !r.settings.Takeover:
		return cpufreq.RefuseRivals(found)
	default:
		r.Report.Warnings = append(r.Report.Warnings,
			names+" may set this machine's frequencies too: "+
				"its changes are reported, and left alone when it insists")
	}
	return nil
}

// controllable reports whether there is a frequency control that ebb would set.
func (r *run) controllable() bool {
	host, err := cpufreq.Open(r.Sysfs)
	return err == nil && host.Probe(nil)[0].Name != cpufreq.Shadow
}
