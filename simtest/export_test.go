package simtest

import (
	"strconv"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// CountedRun runs a program to its end and counts the machine's steps.
func CountedRun(p hardware.Profile, w Workload, o Options) (*Truth, int64, error) {
	m, err := New(p, w, o)
	if err != nil {
		return nil, 0, err
	}
	steps := int64(0)
	for !m.ended {
		if err := m.step(); err != nil {
			m.Close()
			return nil, 0, err
		}
		steps++
		m.out.discard()
	}
	return m.Truth(), steps, nil
}

// ID2 is the thread's id as text.
func (x *ThreadTruth) ID2() string { return strconv.Itoa(int(x.ID)) }
