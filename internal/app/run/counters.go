package run

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// counted are the counters of each slice; none where there is no PMU.
type counted struct {
	names []string
	fds   [][]int // by CPU, in the order of the names
}

// count takes over an open set of counters.
func (r *run) count(open *perfevent.Set, names []string) {
	r.counted = counted{names, open.FDs()}
	r.opened.push(open.Close)
}

// openCounters opens the named counters on every CPU, or the best set that the machine can count if
// none were named.
func (r *run) openCounters() error {
	machine, err := sysfs.ReadLayout(r.sysfs)
	if err != nil {
		return err
	}
	var cpus []int
	for _, c := range machine.CPUs() {
		cpus = append(cpus, int(c))
	}
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
		r.report.Warnings = append(r.report.Warnings, "no counters: "+err.Error())
		return nil
	}
	if len(passed) > 0 {
		r.report.Warnings = append(r.report.Warnings,
			"counted are "+strings.Join(set.Counters, ", ")+" only: "+passed[len(passed)-1].Error())
	}
	r.count(open, set.Counters)
	return nil
}

// checkCounters warns if counters did not count all the time.
func (r *run) checkCounters(done *report.Report) error {
	if d := r.tracer.Drops(); d.CounterRead+d.CounterStopped > 0 {
		warn(done, fmt.Sprintf("counters were unreadable or stood still %s, as when "+
			"another program takes them or a CPU goes offline: the running time of such slices "+
			"counts as scaling with the frequency",
			printable.Count(d.CounterRead+d.CounterStopped, "time")))
	}
	return nil
}
