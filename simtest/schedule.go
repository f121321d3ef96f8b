package simtest

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Step is a point of a schedule by work: Frequency is requested once Work instructions of work have
// been retired.
type Step struct {
	Work      int64
	Frequency units.Frequency
}

// schedule requests frequencies by work.
type schedule struct{ steps []Step } // steps still to come, ascending by work

// next returns the time of the next step at the present rates.
func (s *schedule) next(m *Computer) ps {
	if len(s.steps) == 0 {
		return never
	}
	return m.reaches(float64(s.steps[0].Work))
}

// pass takes the steps that are due.
func (s *schedule) pass(m *Computer) {
	for len(s.steps) > 0 && m.tally.work >= float64(s.steps[0].Work)*(1-1e-12) {
		f := s.steps[0].Frequency
		s.steps = s.steps[1:]
		if f != m.clock.asked {
			m.Request(f)
		}
	}
}

// Static returns a whole run at one frequency, without governor and records.
func Static(p hardware.Profile, w Workload, o Options, f units.Frequency) (*Truth, error) {
	return Scheduled(p, w, o, []Step{{Frequency: f}})
}

// Scheduled returns a whole run that follows a schedule. The steps ascend by work, and the first
// one, with Work 0, holds from the start. The clock follows the others as the profile's transitions
// say.
func Scheduled(p hardware.Profile, w Workload, o Options, steps []Step) (*Truth, error) {
	if len(steps) == 0 || steps[0].Work != 0 {
		return nil, errors.New("simulated machine: a schedule without a step at no work")
	}
	for i, s := range steps[1:] {
		if s.Work < steps[i].Work {
			return nil, fmt.Errorf("simulated machine: step %d of the schedule is at less work "+
				"than the one before", i+1)
		}
	}
	o.Initial, o.Quiet = steps[0].Frequency, true
	m, err := New(p, w, o)
	if err != nil {
		return nil, err
	}
	m.schedule.steps = steps[1:]
	for !m.ended {
		if err := m.step(); err != nil {
			m.Close()
			return nil, err
		}
		m.out.discard()
	}
	return m.Truth(), nil
}
