package bench

import (
	"math"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/units"
)

// planes returns the drawings of the page: slowdown against the energy that the budgets are about,
// and against all energy when ebb ran for that.
func (r *Result) planes() []chart.Plane {
	if r.Rounds == 0 || !r.Rows[0].HasEnergy {
		return nil
	}
	all := []chart.Plane{r.plane("Slowdown and processor energy", "processor energy",
		func(row *Row) Interval { return row.ProcessorEnergy })}
	if r.hasTotal() {
		all = append(all, r.plane("Slowdown and all energy, memory's included", "all energy",
			func(row *Row) Interval { return row.TotalEnergy }))
	}
	return all
}

// pageWidth is the width of a drawing of the page, two of which stand beside each other.
const pageWidth = 660

func (r *Result) plane(title, what string, energy func(*Row) Interval) chart.Plane {
	p := chart.Plane{
		Title: title, Desc: "Against always the highest frequency; bars are 95 % intervals",
		X: chart.Axis{Label: "slowdown", Unit: "%",
			Zero: true}, Y: chart.Axis{Label: what + " against the highest frequency", Unit: "%"},
		Width: pageWidth, Height: 440, Levels: []chart.Level{{Name: "", At: 0}},
	}
	static := chart.Curve{Name: "always one frequency", Joined: true}
	found := chart.Curve{Name: "as found"}
	ebb := chart.Curve{Name: "ebb"}
	reach := r.reach()
	for i := range r.Rows {
		row := &r.Rows[i]
		if !row.HasEnergy || row.Slowdown.Estimate > reach {
			continue
		}
		curve := &ebb
		switch row.Kind {
		case Static:
			curve = &static
		case Default:
			curve = &found
		}
		curve.Points = append(curve.Points, point(row.Name, row.Slowdown, energy(row)))
	}
	for _, c := range []chart.Curve{static, found, ebb} {
		if len(c.Points) > 0 {
			p.Curves = append(p.Curves, c)
		}
	}
	for i := range r.Rows {
		if b := r.Rows[i].Budget; b != nil {
			p.Walls = append(p.Walls, chart.Wall{Name: "budget " + units.Ratio(*b).String(),
				At: *b * 100})
		}
	}
	return p
}

// reach returns the slowdown up to which states are drawn. States far beyond every budget would
// press the rest together.
func (r *Result) reach() float64 {
	reach := 0.0
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Kind != Static {
			reach = max(reach, row.Slowdown.Estimate)
		}
		if row.Budget != nil {
			reach = max(reach, *row.Budget)
		}
	}
	if reach == 0 {
		return math.Inf(1)
	}
	return 3 * reach
}

// beyond returns the names of the states that the drawings leave out.
func (r *Result) beyond() string {
	var out []Setting
	reach := r.reach()
	for i := range r.Rows {
		if row := &r.Rows[i]; row.HasEnergy && row.Slowdown.Estimate > reach {
			out = append(out, row.Setting)
		}
	}
	return names(out)
}

func point(what string, x, y Interval) chart.Point {
	q := chart.Point{What: what, Named: true, X: 100 * x.Estimate, Y: 100 * y.Estimate,
		XLow: math.NaN(), XHigh: math.NaN(), YLow: math.NaN(), YHigh: math.NaN()}
	if x.bounded() {
		q.XLow, q.XHigh = 100*x.Lo, 100*x.Hi
	}
	if y.bounded() {
		q.YLow, q.YHigh = 100*y.Lo, 100*y.Hi
	}
	return q
}
