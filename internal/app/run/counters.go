package run

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// count takes over an open set of counters.
func (r *run) count(open *perfevent.Set, names []string) {
	r.Counted = part.Counted{Names: names, FDs: open.FDs()}
	r.Opened.Push(open.Close)
}

// openCounters opens the named counters on every CPU, or the best set that the machine can count if
// none were named.
func (r *run) openCounters() error {
	machine, err := sysfs.ReadLayout(r.Sysfs)
	if err != nil {
		return err
	}
	cpus := machine.Numbers()
	families := inventory.Families()
	if named := r.settings.Counters; len(named) > 0 {
		set, err := hpc.Named(named, families)
		if err != nil {
			return command.Usagef("--counters: %w", err)
		}
		open, err := perfevent.Open(set, cpus)
		if err != nil {
			return command.Usagef("--counters: %w", err)
		}
		r.count(open, set.Counters)
		return nil
	}
	open, set, passed, err := perfevent.Best(hpc.Sets(families), cpus)
	switch {
	case errors.Is(err, perfevent.ErrNotSupported):
		return nil // the report says that there are none
	case err != nil: // there is a PMU, but it does not work or ebb may not use it
		r.Report.Warnings = append(r.Report.Warnings, "no counters: "+err.Error())
		return nil
	}
	if len(passed) > 0 {
		r.Report.Warnings = append(r.Report.Warnings,
			"counted are "+strings.Join(set.Counters, ", ")+" only: "+passed[len(passed)-1].Error())
	}
	r.count(open, set.Counters)
	return nil
}

// checkCounters warns if counters did not count all the time.
func (r *run) checkCounters(done *report.Report) error {
	if d := r.Tracer.Drops(); d.CounterRead+d.CounterStopped > 0 {
		part.Warn(done, fmt.Sprintf("counters were unreadable or stood still %s, as when "+
			"another program takes them or a CPU goes offline: the running time of such slices "+
			"counts as scaling with the frequency",
			printable.Count(d.CounterRead+d.CounterStopped, "time")))
	}
	return nil
}
