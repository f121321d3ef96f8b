package machine

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Write prints the groups with the most energy or CPU time, and the rest that no group had.
func (r *Report) Write(w io.Writer, top, width int) error {
	wall := time.Duration(r.WallNS)
	line := fmt.Sprintf("the machine for %.1f s: ", wall.Seconds())
	if len(r.Zones) > 0 {
		all := r.total(func(z *Zone) int64 { return z.MeasuredNJ })
		line += all.String()
		if z := &r.Zones[0]; z.LowNJ != nil && z.HighNJ != nil {
			line += fmt.Sprintf(" (%v to %v)", units.Energy(*z.LowNJ), units.Energy(*z.HighNJ))
		}
		line += fmt.Sprintf(", %v on average, by %s (%s)", all.Over(wall), r.Power, r.detail)
	} else {
		line += "CPU time and no joules, because nothing measures the energy"
		if r.HighW > 0 {
			line += fmt.Sprintf("; it draws between %v and %v (%s)", units.Power(r.LowW),
				units.Power(r.HighW), r.Power)
		}
	}
	paragraph(w, line)
	printable.Fprintf(w, "\n")
	groups := slices.Clone(r.Groups)
	energy := func(g *Group) units.Energy {
		return r.sum(g, func(j *joule) int64 { return j.EnergyNJ })
	}
	slices.SortStableFunc(groups, func(x, y Group) int {
		return cmp.Or(cmp.Compare(energy(&y), energy(&x)), cmp.Compare(y.CPUNS, x.CPUNS))
	})
	shown := len(groups)
	if top > 0 {
		shown = min(shown, top)
	}
	t := r.table()
	for i := range groups[:shown] {
		t.add(&groups[i])
	}
	t.rest(groups[shown:])
	t.nobodys()
	if err := t.Write(w, width); err != nil {
		return err
	}
	for _, z := range r.Zones {
		if z.Doubt != "" {
			printable.Fprintf(w, "\n")
			paragraph(w, z.Doubt)
		}
	}
	if r.Refused > 0 {
		printable.Fprintf(w, "\n")
		paragraph(w, fmt.Sprintf("%d stretches found no room in the kernel's map: their time is "+
			"in other", r.Refused))
	}
	return nil
}

// paragraph writes a sentence, broken at the terminal's width or, in a pipe, at the usual one.
func paragraph(w io.Writer, text string) {
	width, _ := command.SentenceWidth(w)
	for _, line := range command.Wrap(text, width) {
		printable.Fprintf(w, "%s\n", line)
	}
}

// table is the table of a report.
type table struct {
	printable.Table
	r   *Report
	all units.Energy // measured energy
	cpu time.Duration
}

func (r *Report) table() *table {
	t := &table{r: r, cpu: time.Duration(r.GroupsNS + r.OthersNS),
		all: r.total(func(z *Zone) int64 { return z.MeasuredNJ })}
	t.Name = "group"
	t.Columns = []printable.Column{{Title: "CPU s", Weight: 2}, {Title: "of busy", Weight: 1}}
	if len(r.Zones) > 0 {
		t.Columns = []printable.Column{{Title: "CPU s", Weight: 1}, {Title: "energy", Weight: 4},
			{Title: "share", Weight: 3}, {Title: "from", Weight: 2}, {Title: "to", Weight: 2}}
		if r.ShareIdle != "" {
			t.Columns = append(t.Columns, printable.Column{Title: "of idle", Weight: 1})
		}
	}
	return t
}

// add adds a group's row.
func (t *table) add(g *Group) {
	r := t.r
	figures := []string{seconds(g.CPUNS)}
	if len(r.Zones) == 0 {
		t.Row(g.Kind+" "+g.Name, append(figures, t.busy(g.CPUNS))...)
		return
	}
	e := r.sum(g, func(j *joule) int64 { return j.EnergyNJ })
	figures = append(figures, e.String(), t.share(e),
		r.sum(g, func(j *joule) int64 { return j.LowNJ }).String(),
		r.sum(g, func(j *joule) int64 { return j.HighNJ }).String())
	if r.ShareIdle != "" {
		figures = append(figures, r.sum(g, func(j *joule) int64 {
			if j.IdleNJ == nil {
				return 0
			}
			return *j.IdleNJ
		}).String())
	}
	t.Row(g.Kind+" "+g.Name, figures...)
}

// rest adds one row for the groups that are not shown.
func (t *table) rest(groups []Group) {
	if len(groups) == 0 {
		return
	}
	var cpu int64
	var e units.Energy
	for i := range groups {
		cpu += groups[i].CPUNS
		e += t.r.sum(&groups[i], func(j *joule) int64 { return j.EnergyNJ })
	}
	name := printable.Count(len(groups), "more group")
	if len(t.r.Zones) == 0 {
		t.Row(name, seconds(cpu), t.busy(cpu))
		return
	}
	t.Row(name, seconds(cpu), e.String(), t.share(e))
}

// nobodys adds rows for the energy that no group had, and the sum.
func (t *table) nobodys() {
	r := t.r
	if len(r.Zones) == 0 {
		t.Row("others", seconds(r.OthersNS), t.busy(r.OthersNS))
		t.Row("idle", seconds(r.IdleNS))
		return
	}
	whole := "measured"
	if r.Power == wattmeter.Trained {
		whole = "predicted"
	}
	for _, x := range []struct {
		name, cpu string
		of        func(*Zone) int64
	}{
		{"others", seconds(r.OthersNS), func(z *Zone) int64 { return z.OthersNJ }},
		{"idle", seconds(r.IdleNS), func(z *Zone) int64 { return z.IdleNJ }},
		{"unattributed", "", func(z *Zone) int64 { return z.UnattributedNJ }},
		{whole, "", func(z *Zone) int64 { return z.MeasuredNJ }},
	} {
		e := r.total(x.of)
		t.Row(x.name, x.cpu, e.String(), t.share(e))
	}
}

func seconds(ns int64) string { return fmt.Sprintf("%.2f", time.Duration(ns).Seconds()) }

func (t *table) busy(ns int64) string {
	if t.cpu <= 0 {
		return ""
	}
	return printable.Percent(float64(ns) / float64(t.cpu))
}

func (t *table) share(e units.Energy) string {
	if t.all <= 0 {
		return ""
	}
	return printable.Percent(float64(e) / float64(t.all))
}
