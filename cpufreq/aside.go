package cpufreq

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Aside implements Actuator.
func (s *session) Aside(while func()) {
	if s.closed || s.withdrawn() {
		while()
		return
	}
	asked := make(map[sysfs.Domain]units.Frequency)
	for i := range s.targets {
		asked[s.targets[i].id] = s.targets[i].asked
	}
	s.leave()
	while()
	if s.withdrawn() {
		return
	}
	if err := s.enter(s.choice, s.cpus); err != nil {
		s.leave()
		s.withdrawal = fmt.Errorf("ebb was stopped, and could not set frequencies again: %w", err)
		return
	}
	for i := range s.targets {
		s.plan(i, max(asked[s.targets[i].id], s.states[0]), false)
	}
	s.carryOut()
}

// given reports whether a domain was given up to another program.
func (s *session) given(id sysfs.Domain) bool {
	for _, f := range s.changed {
		if f.Domain == id && f.Yielded {
			return true
		}
	}
	return false
}
