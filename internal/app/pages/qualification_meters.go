package pages

import (
	"fmt"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

func (s *section) meters(m *qualify.Meters) {
	lines := chart.Lines{Title: "Power by load",
		Desc: "the power that each meter showed at each load",
		X:    chart.Axis{Label: "busy CPUs", Unit: "%", Zero: true},
		Y:    chart.Axis{Label: "power", Unit: "W", Zero: true}}
	t := table{Head: []string{"meter", "covers", "idle", "full load", "follows", "late by",
		"smallest step", "every"}}
	for _, x := range m.Meters {
		l := chart.Line{Name: x.Name}
		for _, load := range x.Loads {
			l.X, l.Y = append(l.X, 100*load.Busy), append(l.Y, load.Power)
		}
		lines.Lines = append(lines.Lines, l)
		idle, full := "-", "-"
		if n := len(x.Loads); n > 0 {
			idle = fmt.Sprintf("%.2f W", x.Loads[0].Power)
			full = fmt.Sprintf("%.2f W", x.Loads[n-1].Power)
		}
		t.Rows = append(t.Rows, []string{x.Name, x.Scope, idle, full,
			fmt.Sprintf("%.3f", x.Follows), fmt.Sprintf("%.2f s", x.LagS),
			fmt.Sprintf("%.3g J", x.StepJ), ms(x.PeriodNS)})
	}
	if len(m.Meters) > 0 {
		s.figure(lines)
	}
	s.Tables = append(s.Tables, t)
	if len(m.Against) > 0 {
		t := table{Head: []string{"meter", "against", "rises by, where the other rises by 1 W"}}
		for _, a := range m.Against {
			t.Rows = append(t.Rows, []string{a.Of, a.With, fmt.Sprintf("%.3f W", a.Slope)})
		}
		s.Tables = append(s.Tables, t)
	}
}
