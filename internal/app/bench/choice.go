package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/units"
)

// Choice is the static frequency with the least energy within a budget, and what the rounds know of
// it.
type Choice struct {
	// Budget is the slowdown; null for the least total energy without one.
	Budget *float64 `json:"budget"`
	// Energy names the energy to minimise: Processor, or "total".
	Energy string `json:"energy"`
	// Frequency is the best by all rounds.
	Frequency units.Frequency `json:"-"`
	Hz        int64           `json:"freq_hz"`
	// Possible are the frequencies that may be the true optimum, descending.
	Possible   []units.Frequency `json:"-"`
	PossibleHz []int64           `json:"possible_hz"`
	// Odd and Even are the choices of these rounds, each without the other.
	OddHz  int64 `json:"chosen_by_odd_rounds_hz"`
	EvenHz int64 `json:"chosen_by_even_rounds_hz"`
	// Slowdown and energies of the choice in rounds that did not choose it, unless there is only
	// one round (HeldOut).
	HeldOut         bool     `json:"held_out"`
	Slowdown        Interval `json:"slowdown"`
	ProcessorEnergy Interval `json:"processor_energy_change"`
	TotalEnergy     Interval `json:"total_energy_change"`

	time, processor, total []float64         // one value per round
	states                 []units.Frequency // all frequencies, descending
}

// Name returns the choice's name.
func (c *Choice) Name() string {
	if c.Budget == nil {
		return "static-optimal system-energy"
	}
	return "static-optimal " + units.Ratio(*c.Budget).String()
}

// optima chooses for every budget that ebb ran with, and for the system's energy when it did.
func (r *Result) optima() {
	for i := range r.Rows {
		row := &r.Rows[i]
		switch {
		case !r.Rows[0].HasEnergy:
		case row.Setting.Kind == Slowdown:
			b := float64(row.Setting.Slowdown)
			r.Optima = append(r.Optima, r.optimum(&b))
		case row.Setting.Kind == SystemEnergy:
			r.Optima = append(r.Optima, r.optimum(nil))
		}
	}
}

func (r *Result) optimum(budget *float64) Choice {
	c := Choice{Budget: budget, Energy: Processor, HeldOut: r.Rounds > 1}
	limit := math.Inf(1)
	if budget == nil {
		c.Energy = "total"
	} else {
		limit = *budget
	}
	var statics []series
	var rows []*Row
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kind != Static || !row.HasEnergy {
			continue
		}
		e := row.processor
		if budget == nil {
			e = row.total
		}
		statics, rows = append(statics, series{row.logs, e}), append(rows, row)
	}
	for _, row := range rows {
		c.states = append(c.states, row.Setting.Frequency)
	}
	o := newOptimum(statics, limit)
	c.Frequency = rows[o.best].Setting.Frequency
	c.Hz, c.OddHz, c.EvenHz = rows[o.best].Hz, rows[o.halves[0]].Hz, rows[o.halves[1]].Hz
	for _, i := range o.possible {
		c.Possible = append(c.Possible, rows[i].Setting.Frequency)
		c.PossibleHz = append(c.PossibleHz, rows[i].Hz)
	}
	for k, i := range o.choice {
		c.time = append(c.time, rows[i].logs[k])
		c.processor = append(c.processor, rows[i].processor[k])
		c.total = append(c.total, rows[i].total[k])
	}
	c.Slowdown, c.ProcessorEnergy, c.TotalEnergy = Ratio(c.time), Ratio(c.processor), Ratio(c.total)
	return c
}

// others returns the frequencies that may be the optimum as well, neighbours drawn together.
func (c *Choice) others() string {
	var parts []string
	for i := 0; i < len(c.states); i++ {
		if !c.other(c.states[i]) {
			continue
		}
		last := i
		for last+1 < len(c.states) && c.other(c.states[last+1]) {
			last++
		}
		switch {
		case last > i+1:
			parts = append(parts, fmt.Sprintf("%v to %v", c.states[i], c.states[last]))
		case last == i+1:
			parts = append(parts, c.states[i].String(), c.states[last].String())
		default:
			parts = append(parts, c.states[i].String())
		}
		i = last
	}
	return strings.Join(parts, ", ")
}

func (c *Choice) other(f units.Frequency) bool {
	return f != c.Frequency && slices.Contains(c.Possible, f)
}
