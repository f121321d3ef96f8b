package oracle

import (
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Sweep is a program's runs at every state of a machine (simtest.Static), without faults. Each run
// notes its progress some ten times per quantum.
type Sweep struct {
	Profile  hardware.Profile
	Workload simtest.Workload
	Seed     uint64
	Runs     []*simtest.Truth // runs by state, as in Profile.States
}

// highest returns the run at the highest frequency, the reference of slowdowns and savings.
func (s *Sweep) highest() *simtest.Truth { return s.Runs[len(s.Runs)-1] }

// deadline returns the longest time within a budget.
func (s *Sweep) deadline(budget units.Slowdown) time.Duration {
	return s.highest().Wall + time.Duration(float64(s.highest().Wall)*float64(budget))
}
