package main

import (
	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/rivals"
)

// where is where other programs that set frequencies are looked for.
func (s *settings) where() rivals.Where {
	return rivals.Where{Proc: s.procRoot, Run: "/run"}
}

// meetRivals looks for other programs that set this machine's frequencies, before anything is taken
// hold of. Where ebb would set them too, that is an error without --takeover; in shadow mode they
// are only told of.
func (n *session) meetRivals() error {
	if n.settings.procRoot == "/proc" && !inventory.KernelsOwn(n.settings.sysfsRoot) {
		return nil // they set this machine's frequencies, and not those of a tree of files
	}
	w := n.settings.where()
	w.Sys = n.sysfs
	found, err := rivals.Find(w)
	if err != nil {
		n.report.Warnings = append(n.report.Warnings, err.Error())
	}
	if len(found) == 0 {
		return nil
	}
	for _, r := range found {
		n.report.Rivals = append(n.report.Rivals, r.String())
	}
	names := rivals.Names(found)
	switch {
	case n.settings.writesNothing() || !n.controllable():
		n.report.Warnings = append(n.report.Warnings,
			names+" may set this machine's frequencies meanwhile, and what was measured is then of different clocks")
	case !n.settings.takeover:
		return rivals.Refuse(found)
	default:
		n.report.Warnings = append(n.report.Warnings,
			names+" may set this machine's frequencies too: what it changes is told of, and left to it when it insists")
	}
	return nil
}

// writesNothing says whether the run was asked for in shadow mode.
func (s *settings) writesNothing() bool { return s.config.Shadow || s.shadowOnly }

// controllable says whether there is a frequency control that ebb would take hold of.
func (n *session) controllable() bool {
	host, err := cpufreq.Open(n.sysfs)
	return err == nil && host.Probe(nil)[0].Name != cpufreq.Shadow
}
