package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/topology"
)

// openCounters opens the counters that were named on every CPU; the best set that the machine can
// count, when none were. It returns their names.
func (n *session) openCounters() ([]string, error) {
	s := n.settings
	machine, err := topology.Read(n.sysfs)
	if err != nil {
		return nil, err
	}
	var cpus []int
	for _, c := range machine.CPUs() {
		cpus = append(cpus, int(c))
	}
	families := inventory.Families()
	if len(s.counters) > 0 {
		set, err := hpc.Named(s.counters, families)
		if err == nil {
			n.counters, err = perfevent.Open(set, cpus)
		}
		if err != nil {
			return nil, command.Usagef("--counters: %w", err)
		}
		return set.Counters, nil
	}
	open, set, passed, err := perfevent.Best(hpc.Sets(families), cpus)
	switch {
	case errors.Is(err, perfevent.ErrNotSupported):
		return nil, nil // the report says that there are none
	case err != nil: // there is a PMU, and it does not work or may not be used
		n.report.Warnings = append(n.report.Warnings, "nothing is counted: "+err.Error())
		return nil, nil
	}
	if len(passed) > 0 {
		n.report.Warnings = append(n.report.Warnings,
			"counted are "+strings.Join(set.Counters, ", ")+" only: "+passed[len(passed)-1].Error())
	}
	n.counters = open
	return set.Counters, nil
}

// checkCounters says at the end when counters did not count all the time.
func (n *session) checkCounters() {
	if d := n.tracer.Drops(); d.CounterRead+d.CounterStopped > 0 {
		n.warn(
			fmt.Sprintf(
				"counters could not be read or stood still %d times, as when another program takes them or a CPU goes offline: the running time of such slices counts as scaling with the frequency", d.CounterRead+d.CounterStopped,
			),
		)
	}
}
