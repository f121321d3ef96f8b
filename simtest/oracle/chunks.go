package oracle

import (
	"sort"
	"time"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// cut gives the amounts of work, ascending, at which the run was at the multiples of a quantum, and
// all of its work at the end. Of a last chunk shorter than half a quantum and the one before, one
// is made.
func cut(run *simtest.Truth, quantum time.Duration) []int64 {
	var ends []int64
	for t := quantum; t <= run.Wall-quantum/2; t += quantum {
		points := run.Progress
		k := sort.Search(len(points), func(i int) bool { return points[i].At >= t })
		if k == len(points) {
			break
		}
		var before simtest.Progress
		if k > 0 {
			before = points[k-1]
		}
		part := float64(t-before.At) / float64(points[k].At-before.At)
		w := before.Work + int64(part*float64(points[k].Work-before.Work))
		if (len(ends) == 0 || w > ends[len(ends)-1]) && w > 0 && w < run.Work {
			ends = append(ends, w)
		}
	}
	return append(ends, run.Work)
}

// until gives the time in ns and the energy in nJ that a run had taken when it had done an amount
// of work, by straight lines between the points that it noted.
func until(run *simtest.Truth, o Objective, work int64) (ns, nJ float64) {
	if work >= run.Work {
		return float64(run.Wall), float64(o.of(run.Energy))
	}
	points := run.Progress
	k := sort.Search(len(points), func(i int) bool { return points[i].Work >= work })
	after := simtest.Progress{Work: run.Work, At: run.Wall, Energy: run.Energy}
	if k < len(points) {
		after = points[k]
	}
	var before simtest.Progress
	if k > 0 {
		before = points[k-1]
	}
	part := 1.0
	if after.Work > before.Work {
		part = float64(work-before.Work) / float64(after.Work-before.Work)
	}
	at := func(a, b float64) float64 { return a + part*(b-a) }
	return at(float64(before.At), float64(after.At)),
		at(float64(o.of(before.Energy)), float64(o.of(after.Energy)))
}

// table returns the problem of a sweep: each chunk's time and energy at each state.
func (s *Sweep) table(o Objective, ends []int64) *problem {
	p := &problem{Time: make([][]float64, len(ends)), Cost: make([][]float64, len(ends))}
	for i := range ends {
		p.Time[i], p.Cost[i] = make([]float64, len(s.Runs)), make([]float64, len(s.Runs))
	}
	for state, run := range s.Runs {
		var t0, e0 float64
		for i, w := range ends {
			t, e := until(run, o, w)
			p.Time[i][state], p.Cost[i][state] = max(t-t0, 0), max(e-e0, 0)
			t0, e0 = t, e
		}
	}
	return p
}

// switching returns the cost of a machine's transitions to a schedule, on average over the grid's
// phase.
func switching(t *hardware.Transition) Switch {
	return Switch{
		Lag:  float64(t.Latency + t.Jitter/2 + t.Grid/2),
		Ramp: float64(t.Ramp),
		Halt: float64(t.Stall),
		// The first state is in force from the beginning, as in the static runs.
		First: -1,
	}
}
