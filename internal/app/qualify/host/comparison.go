package host

import (
	"math"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// comparison returns a bench's result in the form of qualify.
func comparison(program, condition string, r *bench.Result) *qualify.Comparison {
	c := &qualify.Comparison{Program: program, Condition: condition, Rounds: r.Rounds,
		Source: string(r.Plan.Source), Rows: []qualify.Row{}, Against: []qualify.Versus{}}
	for i := range r.Rows {
		row := &r.Rows[i]
		out := qualify.Row{Setting: row.Name, Kind: string(row.Kind), Hz: row.Hz,
			Budget: row.Budget, WallNS: int64(row.Wall), Slowdown: interval(row.Slowdown),
			Energy: interval(row.TotalEnergy), Trouble: append([]string{}, row.Trouble...)}
		if row.HasEnergy {
			nj := int64(row.Total)
			out.EnergyNJ = &nj
		}
		c.Rows = append(c.Rows, out)
	}
	for _, v := range r.Against {
		if v.Energy == bench.Processor {
			c.Against = append(c.Against, qualify.Versus{Of: v.Of, With: v.With,
				Time: interval(v.Time), Energy: interval(v.Change)})
		}
	}
	if len(r.Optima) > 0 {
		c.BestHz = int64(r.Optima[0].Frequency)
	}
	return c
}

// interval converts an interval of bench's; nil for an unknown difference.
func interval(i bench.Interval) *qualify.Interval {
	if !i.Known() || math.IsNaN(i.Estimate) || math.IsInf(i.Estimate, 0) {
		return nil
	}
	end := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return &qualify.Interval{Estimate: i.Estimate, Lo: end(i.Lo), Hi: end(i.Hi), N: i.N}
}
