package models

import (
	"github.com/ebb-energy/ebb/internal/app/pages"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// writePage writes the page of a training where one is wanted.
func (s *trainSettings) writePage(d *train.Data, m *powermodel.Model) error {
	if s.html == "" {
		return nil
	}
	table, err := d.Table(m)
	if err != nil {
		return err
	}
	p := pages.Training{Name: s.out, Model: m, Table: table}
	if s.chosen != nil {
		p.Demographics = demographics(s.chosen)
	}
	return safefile.Whole(s.html, p.Write)
}

// demographics returns a selection in the form of the page.
func demographics(s *train.Selection) *pages.Demographics {
	d := &pages.Demographics{PerHit: s.PerHit, Threshold: s.Threshold, Joint: s.Joint}
	for _, c := range s.Choices {
		d.Events = append(d.Events, pages.EventCost{Name: c.Event, Class: string(c.Class),
			Cost: c.Cost, Chosen: c.Chosen})
	}
	for _, p := range s.Programs {
		cost := pages.ProgramCost{Name: p.Program, All: p.All, Chosen: p.Chosen}
		for _, n := range p.Drawn() {
			cost.Drawn = append(cost.Drawn, pages.DrawnCost(n))
		}
		if r := p.Measured; r != nil {
			cost.Measured = []string{costText(&r.CPU), costText(&r.Wall), costText(&r.Energy)}
		}
		d.Programs = append(d.Programs, cost)
	}
	return d
}
