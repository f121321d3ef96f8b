package simtest

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// Step is a point of a schedule by work: once Work instructions of work have been retired,
// Frequency is asked for.
type Step struct {
	Work      int64
	Frequency units.Frequency
}

// schedule asks for frequencies by work.
type schedule struct{ steps []Step }

// next is when the next step is due at the present rates.
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

// Static is a whole run at one frequency, with no governor and no record.
func Static(p hardware.Profile, w Workload, o Options, f units.Frequency) (*Truth, error) {
	return Scheduled(p, w, o, []Step{{Frequency: f}})
}

// Scheduled is a whole run that follows a schedule, steps ascending by work; the first has Work 0
// and is in force from the beginning. Changes take place as the profile's transitions do.
func Scheduled(p hardware.Profile, w Workload, o Options, steps []Step) (*Truth, error) {
	if len(steps) == 0 || steps[0].Work != 0 {
		return nil, errors.New("simulated machine: a schedule without a step at no work")
	}
	for i, s := range steps[1:] {
		if s.Work < steps[i].Work {
			return nil, fmt.Errorf(
				"simulated machine: step %d of the schedule is at less work than the one before", i+
					1,
			)
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
		m.out, m.outAt, m.stops = m.out[:0], 0, 0
	}
	return m.Truth(), nil
}
