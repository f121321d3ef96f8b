package powermodel

import (
	"fmt"
	"math"
)

// Model predicts a machine's power from what its kernel and counters saw. Train and ReadModel make
// one; it does not change afterwards, so that several goroutines may use it.
type Model struct {
	Learner    string // its name, or imported
	Tier       string // kind of its inputs, as in Tier; "" where it is unknown
	Provenance Provenance
	// Inputs are the inputs in the order in which Predict takes their values.
	Inputs []Input
	// Interval says how far the model missed programs that it had not seen. It is nil where that is
	// unknown: fewer than five programs were long enough, or another program made the model.
	Interval *Interval
	// Programs holds the errors on the programs trained on, each left out in turn; nil: unknown.
	Programs []ProgramError
	// Simpler is the model with inputs that more machines have; nil: there is none.
	Simpler *Model

	formula *formula
}

// imported is the learner's name in models that another program made.
const imported = "imported"

// Provenance says where a model comes from. An empty field is unknown.
type Provenance struct {
	CPUModel  string   `json:"cpu_model,omitempty"`
	CPUs      int      `json:"cpus,omitempty"`
	Kernel    string   `json:"kernel,omitempty"`
	JVM       string   `json:"jvm,omitempty"`
	Meter     string   `json:"meter,omitempty"`
	Date      string   `json:"date,omitempty"` // as in 2026-11-22
	Programs  []string `json:"programs,omitempty"`
	Intervals int      `json:"intervals,omitempty"`
}

// Origin says where a model is from, as far as that is known, and how far the tier with this
// interval errs: "trained 2026-11-22 on 2 CPUs of X, 12 programs, beside rapl; 90 % intervals of
// +-11 % on average".
func (p *Provenance) Origin(i *Interval) string {
	s := "trained"
	if p.Date != "" {
		s += " " + p.Date
	}
	if p.CPUModel != "" && p.CPUs > 0 {
		s += " on " + counted(p.CPUs, "CPU") + " of " + p.CPUModel
	}
	if n := len(p.Programs); n > 0 {
		s += ", " + counted(n, "program")
	}
	if p.Meter != "" {
		s += ", beside " + p.Meter
	}
	if i == nil {
		return s + "; its error is unknown"
	}
	return s + fmt.Sprintf("; 90 %% intervals of +-%.0f %% on average", 100*i.HalfWidth)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Input is one of a model's inputs, with the range in which it was trained. The range leaves out
// the outermost thousandth at each end. Without a range, as in imported models, both ends are NaN.
type Input struct {
	Name      string
	Low, High float64
}

// ProgramError is the error on one program by a model that has not seen it.
type ProgramError struct {
	Program string `json:"program"`
	// Total is the error of its energy as a part of what was measured, positive where the model
	// says more. Held is the share of its intervals that lie inside their interval.
	Total float64 `json:"total"`
	Held  float64 `json:"held"`
}

// Prediction is the power of one interval, in W. Low and High are the ends of its 90 % interval,
// NaN where that is unknown. Outside says that an input was missing or outside its trained range;
// it was clipped to the range, and the interval is wider.
type Prediction struct {
	Power, Low, High float64
	Outside          bool
}

// Values appends the inputs of an interval, by name, to a list in the order of Inputs; NaN for what
// is missing.
func (m *Model) Values(in map[string]float64, to []float64) []float64 {
	for _, i := range m.Inputs {
		x, ok := in[i.Name]
		if !ok {
			x = math.NaN()
		}
		to = append(to, x)
	}
	return to
}

// Predict returns the power of an interval from its inputs, in the order of Inputs. A missing input
// is NaN.
func (m *Model) Predict(values []float64) Prediction {
	p := Prediction{Power: max(m.formula.predict(values), 0), Low: math.NaN(), High: math.NaN(),
		Outside: m.formula.outside(values)}
	if m.Interval != nil {
		half := m.Interval.halfWidth(p.Power, m.formula.distance(values))
		p.Low, p.High = max(p.Power-half, 0), p.Power+half
	}
	return p
}

// Beyond returns the names of the inputs that are missing or lie outside their trained range, in an
// interval with these values.
func (m *Model) Beyond(values []float64) (names []string) {
	f := m.formula.features
	for i, k := range f.columns {
		if f.beyond(i, values) {
			names = append(names, m.Inputs[k].Name)
		}
	}
	return names
}

// Usable returns the richest of the model and its simpler ones whose inputs all exist; nil: none.
func (m *Model) Usable(exists func(input string) bool) *Model {
	for ; m != nil; m = m.Simpler {
		all := true
		for _, in := range m.Inputs {
			all = all && exists(in.Name)
		}
		if all {
			return m
		}
	}
	return nil
}

// Saw reports whether a program of this name was trained on.
func (m *Model) Saw(program string) bool {
	for _, p := range m.Provenance.Programs {
		if p == program {
			return true
		}
	}
	return false
}
