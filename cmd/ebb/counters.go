package main

import (
	"errors"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/topology"
)

// openCounters opens the counters that were named on every CPU; the default ones where the machine has them, when none
// were. It returns their names.
func (n *session) openCounters() ([]string, error) {
	s := n.settings
	events := hpc.Default()
	if len(s.counters) > 0 {
		var err error
		if events, err = hpc.ByName(s.counters); err != nil {
			return nil, usagef("--counters: %w", err)
		}
	}
	machine, err := topology.Read(n.sysfs)
	if err != nil {
		return nil, err
	}
	var cpus []int
	for _, c := range machine.CPUs() {
		cpus = append(cpus, int(c))
	}
	set, err := perfevent.Open(events, cpus)
	switch {
	case err != nil && len(s.counters) > 0:
		return nil, usagef("--counters: %w", err)
	case errors.Is(err, perfevent.ErrNotSupported), errors.Is(err, perfevent.ErrPermission):
		return nil, nil // the report says that there are none
	case err != nil:
		return nil, err
	}
	n.counters = set
	var names []string
	for _, e := range events {
		names = append(names, e.Name)
	}
	return names, nil
}
