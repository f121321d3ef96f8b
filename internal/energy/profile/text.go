package profile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Label is the width of the labels of the lines above WriteText's and WriteRules' tables, with the
// blank after them.
const Label = 13

// WriteText prints the first rows of a view by one rule, and what they are a part of, on a page of
// a width (printable.All: any). Top 0 is all rows.
func (p *Profile) WriteText(w io.Writer, rows []Row, rule, top, width int) error {
	t := printable.Lines{W: w}
	p.writeTotals(&t, rule)
	var busy int64
	for i := range rows {
		busy += rows[i].TimeNS
	}
	same := even(rows, busy)
	c := printable.Table{Name: "unit", Columns: p.rowColumns(same)}
	if p.Network != nil {
		c.Columns = append(c.Columns, movedColumns...)
	}
	calls := slices.ContainsFunc(rows, func(r Row) bool { return r.Calls != nil })
	if calls {
		c.Columns = append(c.Columns, callColumns...)
	}
	summed := len(rows) > 0 && rows[0].Sum != nil
	if summed {
		c.Columns = append(c.Columns, printable.Column{Title: p.sumOf(), Weight: 10})
	}
	shown := rows
	if top > 0 && top < len(rows) {
		shown = rows[:top]
	}
	joules := p.Amounts().inOneUnit(rows)
	for _, r := range shown {
		cells := append(p.rowCells(&r, joules, busy, same), p.networkOf(&r)...)
		if calls {
			cells = append(cells, r.callCells(p.Amounts())...)
		}
		if summed {
			cells = append(cells, joules(*r.Sum))
		}
		c.Row(r.Unit, cells...)
	}
	if more := rows[len(shown):]; len(more) > 0 {
		part := printable.ShortPercent(share(sum(more), sum(rows)))
		cells := []string{joules(sum(more)), part}
		if !p.Joules() {
			cells = []string{part, "", joules(sum(more))}
		}
		c.Row(fmt.Sprintf("(%d more)", len(more)), cells...)
	}
	if e, known := p.Own(rule); p.OwnRunNS > 0 {
		own := []string{"unknown", "", "", printable.Seconds(p.OwnRunNS)}
		if !p.Joules() {
			own = own[1:]
		} else if known {
			own[0] = joules(e)
		}
		c.Row(OwnUnit, own...)
	}
	if t.Err == nil {
		t.Err = c.Write(w, width)
	}
	if summed {
		t.Line("")
		t.Line("%s", p.sumNote(rows))
	}
	for _, note := range p.Notes(rows) {
		t.Line("")
		t.Line("%s", note)
	}
	if p.Counts != nil && t.Err == nil {
		t.Line("")
		t.Err = p.Counts.writeText(w, p.Amounts(), width)
	}
	return t.Err
}

// rowColumns are the columns of every row. Without joules a row has no power, and its amount is its
// CPU time.
func (p *Profile) rowColumns(even bool) []printable.Column {
	if !p.Joules() {
		return []printable.Column{{Title: "share", Weight: 9}, {Title: "95% interval", Weight: 8},
			{Title: "CPU time", Weight: 7}, {Title: "samples", Weight: 2},
			{Title: "rank", Weight: 1}}
	}
	all := []printable.Column{{Title: "energy", Weight: 7},
		{Title: "share", Weight: 9}, {Title: "95% interval", Weight: 8},
		{Title: "CPU time", Weight: 6}, {Title: "CPU share", Weight: 3},
		{Title: "watts", Weight: 4},
		{Title: "samples", Weight: 2}, {Title: "rank", Weight: 1}}
	if even {
		return slices.Delete(all, cpuShare, cpuShare+1)
	}
	return all
}

// cpuShare is the index of the share of the CPU time among the columns.
const cpuShare = 4

// even reports whether each row's share of the energy is its share of the CPU time, as by a model
// that knows the clock alone. Two columns would say the same.
func even(rows []Row, busy int64) bool {
	return !slices.ContainsFunc(rows, func(r Row) bool {
		return printable.ShortPercent(r.Share) != printable.ShortPercent(share(r.TimeNS, busy))
	})
}

// rowCells are a row's cells of them. Busy is the CPU time of all rows.
func (p *Profile) rowCells(
	r *Row, amount func(int64) string, busy int64, even bool,
) []string {
	part, samples, rank := printable.ShortPercent(r.Share), fmt.Sprint(r.Samples),
		fmt.Sprint(r.Rank)
	if !p.Joules() {
		return []string{part, r.interval(), amount(r.Energy), samples, rank}
	}
	all := []string{amount(r.Energy), part, r.interval(), printable.Seconds(r.TimeNS),
		printable.ShortPercent(share(r.TimeNS, busy)), fmt.Sprintf("%.1f", r.Watts), samples, rank}
	if even {
		return slices.Delete(all, cpuShare, cpuShare+1)
	}
	return all
}

// inOneUnit writes amounts in the unit of the largest row, so that a column has one precision.
func (a Amounts) inOneUnit(rows []Row) func(nj int64) string {
	var most int64
	for i := range rows {
		most = max(most, rows[i].Energy)
	}
	return a.Column(most)
}

// unitOf writes energies in the unit in which the largest has one to three digits before the point.
func unitOf(most int64) func(nj int64) string {
	unit, per := "nJ", 1.0
	for _, coarser := range []string{"µJ", "mJ", "J", "kJ", "MJ"} {
		if float64(most) < 1000*per {
			break
		}
		unit, per = coarser, per*1000
	}
	return func(nj int64) string { return fmt.Sprintf("%.2f %s", float64(nj)/per, unit) }
}

// Notes returns what a reader of rows should know.
func (p *Profile) Notes(rows []Row) (notes []string) {
	unseen := 0.0
	for _, r := range rows {
		if strings.HasPrefix(r.Unit, neverSampled) {
			unseen += r.Share
		}
	}
	if unseen >= 0.005 && p.RateHz > 0 {
		period := time.Duration(float64(time.Second) / float64(p.RateHz))
		notes = append(notes, fmt.Sprintf("%s belongs to threads that were never sampled: a "+
			"process is first sampled after %s of its CPU time; a higher --rate sees shorter ones",
			printable.Percent(unseen), printable.Duration(period)))
	}
	if p.Counts != nil {
		notes = append(notes, p.Counts.Notes(p.Busy())...)
	}
	return notes
}

// movedColumns are the columns of the network, where it was counted.
var movedColumns = []printable.Column{{Title: "sent", Weight: 6}, {Title: "received", Weight: 6},
	{Title: "modelled", Weight: 5}, {Title: "loopback", Weight: 4}}

// callColumns are the columns of counted calls, where some were.
var callColumns = []printable.Column{{Title: "calls", Weight: 8}, {Title: "a call", Weight: 8},
	{Title: "95% interval", Weight: 5}}

// callCells returns a row's cells of them.
func (r *Row) callCells(a Amounts) []string {
	if r.Calls == nil {
		return []string{"-", "-", "-"}
	}
	return []string{fmt.Sprint(*r.Calls), r.PerCall.Mean(a), r.PerCall.Interval(a)}
}

// networkOf returns a row's cells of them.
func (p *Profile) networkOf(r *Row) []string {
	if p.Network == nil {
		return nil
	}
	c := p.Network.Cells(r.Network)
	return c[:]
}

// interval returns the row's 95 % interval; a share that is not sampled has none.
func (r *Row) interval() string {
	if r.Low == r.High {
		return "exact"
	}
	return printable.ShortPercent(r.Low) + "-" + printable.ShortPercent(r.High)
}

// writeTotals prints the balance of each zone and the quality of the samples.
func (p *Profile) writeTotals(t *printable.Lines, rule int) {
	for i := range p.Zones {
		z := &p.Zones[i]
		if !p.Joules() {
			t.Line("%-*s %s", Label-1, "CPU time", p.balance(z, rule))
			continue
		}
		source := z.Source
		if z.Model != "" {
			source += " by " + z.Model
		}
		t.Line("%-*s %s %s = %s attributed + %s others + %s idle + %s unattributed (rule %s)",
			Label-1, z.Name, units.Energy(z.TotalNJ), source,
			units.Energy(z.Attr[rule]), z.Others(rule),
			units.Energy(z.IdleNJ[rule]), units.Energy(z.RestNJ[rule]), p.Rules[rule])
	}
	p.writeSamples(t)
	if p.Network != nil {
		t.Line("%-*s %s", Label-1, "network", p.Network.Line())
	}
	if s := p.Shortened(); s != "" {
		t.Line("%-*s %s", Label-1, "kept", s)
	}
	for _, s := range p.WithoutNames(rule) {
		t.Line("%-*s %s", Label-1, "names", s)
	}
	for _, s := range p.Problems {
		t.Line("%-*s %s", Label-1, "problem", s)
	}
	t.Line("")
}

// balance returns a zone's sum where it is CPU time.
func (p *Profile) balance(z *Zone, rule int) string {
	text := printable.Seconds(z.Attr[rule]) + " of the program"
	if z.RestNJ[rule] != 0 {
		text += ", " + printable.Seconds(z.RestNJ[rule]) + " unattributed"
	}
	return text + " (rule " + p.Rules[rule] + ")"
}

// writeSamples prints the quality of the samples.
func (p *Profile) writeSamples(t *printable.Lines) {
	if p.Unsampled() {
		t.Line("%-*s none: threads' times over %s are exact", Label-1, "samples",
			printable.Duration(time.Duration(p.WallNS)))
		return
	}
	r := p.Resolution()
	of := func(n int) string { return printable.Percent(share(int64(n), int64(r.Samples))) }
	rate := strconv.Itoa(p.RateHz)
	if p.LeastRateHz > 0 {
		rate = fmt.Sprintf("%d to %d", p.LeastRateHz, p.RateHz)
	}
	t.Line("%-*s %d at %s Hz of CPU time over %s: %s in a named function, "+
		"%s in one known by address, %s by file, %s unknown; "+
		"%s with a named one in the stack, %s cut short, %d lost", Label-1, "samples",
		r.Samples, rate, printable.Duration(time.Duration(p.WallNS)), of(r.Resolved),
		of(r.Placed), of(r.File),
		of(r.Unknown), of(r.Resolved+r.Called), of(r.Cut), p.Lost)
}

// Others returns the energy of other programs by a rule, as text. It is unknown where the power
// model of the configuration or a formula stands in for a meter, because these have the target
// alone. A trained model has the whole machine.
func (z *Zone) Others(rule int) string {
	if !energy.Source(z.Source).KnowsOthers() {
		return "unknown"
	}
	return units.Energy(z.OthersNJ[rule]).String()
}

// WriteRules prints the first rows by every rule side by side, and the distance of each rule from
// ebb's own.
func (p *Profile) WriteRules(w io.Writer, rows []Row, top, width int) error {
	t := printable.Lines{W: w}
	p.writeTotals(&t, 0)
	t.Line("share of what each rule attributes:")
	c := printable.Table{Name: "unit"}
	for i, r := range p.Rules {
		c.Columns = append(c.Columns, printable.Column{Title: r, Weight: len(p.Rules) - i})
	}
	totals := make([]int64, len(p.Rules))
	for _, r := range rows {
		for j, e := range r.Rules {
			totals[j] += e
		}
	}
	apart := make([]float64, len(p.Rules))
	for i, r := range rows {
		cells := make([]string, len(p.Rules))
		for j, e := range r.Rules {
			if p.Rules[j] == energy.Oblivious {
				cells[j] = p.over(r.Rules, e)
				continue
			}
			s := share(e, totals[j])
			cells[j] = printable.ShortPercent(s)
			apart[j] += max(s-share(r.Rules[0], totals[0]), 0)
		}
		if top == 0 || i < top {
			c.Row(r.Unit, cells...)
		}
	}
	cells := make([]string, len(p.Rules))
	note := ""
	for j, a := range apart {
		if cells[j] = printable.ShortPercent(a); p.Rules[j] == energy.Oblivious {
			cells[j] = p.over(totals, totals[j])
			note = energy.Oblivious + ": its ratio to " + energy.Equal + " (Chappie, Table 2)"
		}
	}
	c.Row("(differs from "+p.Rules[0]+")", cells...)
	if t.Err == nil {
		t.Err = c.Write(w, width)
	}
	if note != "" {
		t.Line("%s", note)
	}
	return t.Err
}

// over prints how often an amount contains what rule energy.Equal gives.
func (p *Profile) over(byRule []int64, e int64) string {
	i := slices.Index(p.Rules, energy.Equal)
	if i < 0 || byRule[i] <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", float64(e)/float64(byRule[i]))
}

func sum(rows []Row) (e int64) {
	for i := range rows {
		e += rows[i].Energy
	}
	return e
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// widest is the number of characters of a unit's name that are printed.
const widest = 100

// cut shortens a name so that it can stand in a line.
func cut(s string) string { return printable.Cut(s, widest) }
