package vesta

import (
	"context"
	"errors"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Audited is what a client learns of a program's energy who has the events and a model that never
// saw the program, and no meter (section 3.5). Energies are mean powers over the program's
// intervals, in W.
type Audited struct {
	Program   string `json:"program"`
	Intervals int    `json:"intervals"`
	// Measured is what the meter says, Estimate what the model says, and Low and High the ends of
	// its 90 % interval, which it has for an interval of time and so for all together, since most
	// of its error is common to them.
	Measured float64 `json:"measured_w"`
	Estimate float64 `json:"estimate_w"`
	Low      float64 `json:"low_w"`
	High     float64 `json:"high_w"`
	// Shown is the least exaggeration that lies outside the interval, as a part of the measured
	// energy: a bill of more than 1 + Shown times the truth is found out. Below zero the true bill
	// is doubted already.
	Shown float64 `json:"shown_from"`
}

// Doubted reports whether the true energy lies outside the model's interval: an honest provider
// would be suspected.
func (a *Audited) Doubted() bool { return a.Measured < a.Low || a.Measured > a.High }

// errNoInterval says that a model of so few programs cannot say how far it misses.
var errNoInterval = errors.New("too few programs for an interval: with one left out, five with " +
	"20 intervals each must remain")

// leastAudited is the number of intervals from which on a program is audited.
const leastAudited = 20

// Audit leaves out each program in turn, as one that the provider's machine runs and the model's
// makers never saw, and compares its measured energy with what the model of the others says.
func Audit(ctx context.Context, t *powermodel.Table, learner string,
	progress func(done, of int),
) (out []Audited, err error) {
	l, err := powermodel.LearnerOf(learner)
	if err != nil {
		return nil, err
	}
	for p, n := range count(t) {
		progress(p, len(t.Programs))
		if n < leastAudited {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, err := audit(t, p, l)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	if len(out) == 0 {
		return nil, errRows
	}
	return out, nil
}

func audit(t *powermodel.Table, program int, l powermodel.Learner) (a Audited, err error) {
	var others, own []int
	for r, p := range t.Program {
		if p == program {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	m, err := powermodel.Train(part(t, others), l, powermodel.Provenance{})
	if err != nil {
		return a, err
	}
	if m.Interval == nil {
		return a, errNoInterval
	}
	a.Program, a.Intervals = t.Programs[program], len(own)
	var values []float64
	for _, r := range own {
		in := map[string]float64{}
		for k, name := range t.Inputs {
			in[name] = t.Columns[k][r]
		}
		values = m.Values(in, values[:0])
		w := m.Predict(values)
		n := float64(len(own))
		a.Measured += t.Power[r] / n
		a.Estimate, a.Low, a.High = a.Estimate+w.Power/n, a.Low+w.Low/n, a.High+w.High/n
	}
	a.Shown = a.High/a.Measured - 1
	return a, nil
}
