package oracle

import (
	"errors"
	"fmt"
	"math"
)

// problem is the choice of one state for each chunk of a program's work. Time and Cost are each
// chunk's time and energy at each state, [chunk][state], in ns and nJ; they are float64 because
// they are interpolated and only compared.
type problem struct {
	Time, Cost [][]float64
	Deadline   float64 // ns for all chunks; +Inf for none
	Switch     Switch
}

// Switch is the cost of a change from one state to another between two chunks.
type Switch struct {
	// Lag is the time, in ns, for which the next chunk still runs at the old state, until the
	// request takes effect.
	Lag float64
	// Ramp is the same for the whole range of states, where the clock moves step by step. A change
	// takes its share, and counts as if half of that were spent at the old state and half at the
	// new one.
	Ramp float64
	// Halt is the time, in ns, in which nothing runs. It costs the new state's mean power in the
	// chunk.
	Halt float64
	// First is the state before the first chunk; a negative one makes the first choice free.
	First int
}

// feasible returns the deadline with room for what adding the same times in another order differs
// by.
func (p *problem) feasible(t float64) bool { return t <= p.Deadline*(1+1e-9) }

var errProblem = errors.New("malformed problem")

func (p *problem) check() error {
	if len(p.Time) == 0 || len(p.Time) != len(p.Cost) || len(p.Time[0]) == 0 {
		return fmt.Errorf("%w: %d rows of times, %d of costs", errProblem, len(p.Time), len(p.Cost))
	}
	if math.IsNaN(p.Deadline) || p.Switch.First >= len(p.Time[0]) ||
		min(p.Switch.Lag, p.Switch.Ramp, p.Switch.Halt) < 0 {
		return fmt.Errorf("%w: deadline %v, switch %+v", errProblem, p.Deadline, p.Switch)
	}
	for i := range p.Time {
		if len(p.Time[i]) != len(p.Time[0]) || len(p.Cost[i]) != len(p.Time[0]) {
			return fmt.Errorf("%w: chunk %d has another number of states", errProblem, i)
		}
		for s := range p.Time[i] {
			if t, c := p.Time[i][s], p.Cost[i][s]; !(t >= 0 && c >= 0) || math.IsInf(t+c, 0) {
				return fmt.Errorf("%w: chunk %d at state %d takes %v ns, %v nJ", errProblem, i, s,
					t, c)
			}
		}
	}
	return nil
}

// step gives the time and cost of chunk i at state s after state from (negative: none). While the
// request is on its way the chunk is worked on at the old state; a chunk shorter than that is done
// at the old state altogether.
func (p *problem) step(i, from, s int) (t, c float64) {
	t, c = p.Time[i][s], p.Cost[i][s]
	if from < 0 || from == s {
		return t, c
	}
	early := p.early(i, from, s)
	halt := 0.0
	if t > 0 {
		halt = p.Switch.Halt / t * c
	}
	return early*p.Time[i][from] + (1-early)*t + p.Switch.Halt,
		early*p.Cost[i][from] + (1-early)*c + halt
}

// early returns the part of chunk i's work that is done before a request for state s, made at its
// beginning, takes effect.
func (p *problem) early(i, from, s int) float64 {
	lag := p.lag(from, s)
	if lag <= 0 {
		return 0
	}
	if lag >= p.Time[i][from] {
		return 1
	}
	return lag / p.Time[i][from]
}

// lag returns the time for which a change between two states leaves the old one in force.
func (p *problem) lag(from, to int) float64 {
	lag := p.Switch.Lag
	if p.Switch.Ramp > 0 {
		lag += p.Switch.Ramp / 2 * math.Abs(float64(to-from)) / float64(len(p.Time[0])-1)
	}
	return lag
}

// total returns the time and cost of a schedule of one state per chunk.
func (p *problem) total(schedule []int) (t, c float64) {
	from := p.Switch.First
	for i, s := range schedule {
		dt, dc := p.step(i, from, s)
		t, c, from = t+dt, c+dc, s
	}
	return t, c
}
