package pages

import (
	"fmt"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func (s *section) comparison(c *qualify.Comparison) {
	t := table{Head: []string{"setting", "time", "energy", "slowdown", "energy change", "trouble"},
		Note: fmt.Sprintf("%s, %s: %s, energy %s. Differences are against the highest clock, "+
			"with 95 %% intervals.", c.Program, c.Condition, printable.Count(c.Rounds, "round"),
			c.Source)}
	if c.HeldNS != nil {
		t.Note += fmt.Sprintf(" The quota held it back for %.1f s in all.", float64(*c.HeldNS)/1e9)
	}
	for _, row := range c.Rows {
		joules := "-"
		if row.EnergyNJ != nil {
			joules = fmt.Sprintf("%.3f J", float64(*row.EnergyNJ)/1e9)
		}
		t.Rows = append(t.Rows, []string{row.Setting,
			fmt.Sprintf("%.3f s", float64(row.WallNS)/1e9), joules, change(row.Slowdown),
			change(row.Energy), strings.Join(row.Trouble, "; ")})
	}
	s.Tables = append(s.Tables, t)
	if len(c.Against) > 0 {
		t := table{Head: []string{"ebb", "against", "time", "energy"}}
		for _, v := range c.Against {
			t.Rows = append(t.Rows, []string{v.Of, v.With, change(v.Time), change(v.Energy)})
		}
		s.Tables = append(s.Tables, t)
	}
	if plane, ok := planeOf(c); ok {
		s.figure(plane)
	}
}

// change returns an interval as text for people.
func change(i *qualify.Interval) string {
	if i == nil {
		return "-"
	}
	text := fmt.Sprintf("%+.1f %%", 100*i.Estimate)
	if i.Lo != nil && i.Hi != nil {
		text += fmt.Sprintf(" (%+.1f to %+.1f)", 100**i.Lo, 100**i.Hi)
	}
	return text
}

// planeOf draws slowdown and energy of each setting.
func planeOf(c *qualify.Comparison) (p chart.Plane, ok bool) {
	p = chart.Plane{Title: c.Program + ", " + c.Condition,
		Desc: "slowdown and energy of each setting against the highest clock",
		X:    chart.Axis{Label: "slowdown", Unit: "%"},
		Y:    chart.Axis{Label: "energy change", Unit: "%"}}
	curves := map[string]*chart.Curve{}
	var order []string
	for _, row := range c.Rows {
		if row.Slowdown == nil || row.Energy == nil {
			continue
		}
		name := map[string]string{"static": "fixed clocks", "default": "as found"}[row.Kind]
		if name == "" {
			name = "ebb"
		}
		if curves[name] == nil {
			curves[name] = &chart.Curve{Name: name, Joined: row.Kind == "static"}
			order = append(order, name)
		}
		end := func(x *float64) float64 {
			if x == nil {
				return math.NaN()
			}
			return 100 * *x
		}
		curves[name].Points = append(curves[name].Points, chart.Point{What: row.Setting,
			X: 100 * row.Slowdown.Estimate, XLow: end(row.Slowdown.Lo), XHigh: end(row.Slowdown.Hi),
			Y: 100 * row.Energy.Estimate, YLow: end(row.Energy.Lo), YHigh: end(row.Energy.Hi),
			Named: true})
		if row.Budget != nil {
			p.Walls = append(p.Walls, chart.Wall{Name: "budget", At: 100 * *row.Budget})
		}
	}
	for _, name := range order {
		p.Curves = append(p.Curves, *curves[name])
	}
	return p, len(order) > 0
}
