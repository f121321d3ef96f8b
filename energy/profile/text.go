package profile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

// Label is the width of the labels of the lines above WriteText's and WriteRules' tables, with the
// blank after them.
const Label = 13

// WriteText prints the first rows of a view by one rule, and what they are a part of. Top 0 is all
// rows.
func (p *Profile) WriteText(w io.Writer, rows []Row, rule, top int) error {
	t := table{w: w}
	p.writeTotals(&t, rule)
	t.line("%4s %9s %7s %15s %9s %7s %8s %8s %s %s", "rank", "energy", "share", "95% interval",
		"CPU time", "share", "watts", "samples",
		p.networkCells([4]string{"sent", "received", "modelled", "loopback"}), "unit")
	var busy int64
	for _, r := range rows {
		busy += r.TimeNS
	}
	for i, r := range rows {
		if top > 0 && i == top {
			t.line("%4s %9s %7s %s", "", units.Energy(sum(rows[i:])),
				percent(share(sum(rows[i:]), sum(rows))), fmt.Sprintf("in %d more", len(rows)-i))
			break
		}
		t.line("%4d %9s %7s %15s %9s %7s %8s %8d %s %s", r.Rank, units.Energy(r.Energy),
			percent(r.Share), r.interval(),
			short(r.TimeNS), percent(share(r.TimeNS, busy)), units.Power(r.Watts), r.Samples,
			p.networkOf(&r), cut(r.Unit))
	}
	for _, note := range p.Notes(rows) {
		t.line("")
		t.line("%s", note)
	}
	return t.err
}

// Notes say what a reader of rows may ask of them.
func (p *Profile) Notes(rows []Row) (notes []string) {
	unseen := 0.0
	for _, r := range rows {
		if strings.HasPrefix(r.Unit, neverSampled) {
			unseen += r.Share
		}
	}
	if unseen >= 0.005 && p.RateHz > 0 {
		period := time.Duration(
			float64(time.Second) / float64(p.RateHz),
		).Round(100 * time.Microsecond)
		notes = append(notes, fmt.Sprintf("%s belongs to threads that were never sampled: a "+
			"thread is first sampled after %s of its CPU time; a higher --rate sees shorter ones",
			percent(unseen), period))
	}
	return notes
}

func (p *Profile) networkOf(r *Row) string {
	if p.Network == nil {
		return ""
	}
	return p.networkCells(p.Network.Cells(r.Network))
}

// networkCells are the columns of the network, where it was counted.
func (p *Profile) networkCells(c [4]string) string {
	if p.Network == nil {
		return ""
	}
	return fmt.Sprintf("%9s %9s %9s %9s ", c[0], c[1], c[2], c[3])
}

// interval is the row's 95 % interval; a share that is not sampled has none.
func (r *Row) interval() string {
	if r.Low == r.High {
		return "exact"
	}
	return percent(r.Low) + "-" + percent(r.High)
}

// writeTotals prints the balance of each zone and the quality of the samples.
func (p *Profile) writeTotals(t *table, rule int) {
	for i := range p.Zones {
		z := &p.Zones[i]
		source := z.Source
		if z.Model != "" {
			source += " by " + z.Model
		}
		t.line("%-*s %s %s = %s attributed + %s others + %s idle + %s unattributed (rule %s)",
			Label-1, z.Name, units.Energy(z.TotalNJ), source,
			units.Energy(z.Attr[rule]), z.Others(rule),
			units.Energy(z.IdleNJ[rule]), units.Energy(z.RestNJ[rule]), p.Rules[rule])
	}
	r := p.Resolution()
	of := func(n int) string { return percent(share(int64(n), int64(r.Samples))) }
	t.line("%-*s %d at %d Hz of CPU time over %s: %s in a named function, "+
		"%s in one known by address, %s by file, %s unknown; "+
		"%s with a named one in the stack, %s cut short, %d lost", Label-1, "samples",
		r.Samples, p.RateHz, short(p.WallNS), of(r.Resolved), of(r.Placed), of(r.File),
		of(r.Unknown), of(r.Resolved+r.Called), of(r.Cut), p.Lost)
	if p.Network != nil {
		t.line("%-*s %s", Label-1, "network", p.Network.Line())
	}
	if s := p.Shortened(); s != "" {
		t.line("%-*s %s", Label-1, "kept", s)
	}
	for _, s := range p.WithoutNames(rule) {
		t.line("%-*s %s", Label-1, "names", s)
	}
	for _, s := range p.Problems {
		t.line("%-*s %s", Label-1, "problem", s)
	}
	t.line("")
}

// Others is the energy of other programs by a rule, for people. It is unknown where the power model
// of the configuration or a formula stands in for a meter: these have the target alone. A trained
// model has the whole machine.
func (z *Zone) Others(rule int) string {
	switch energy.Source(z.Source) {
	case energy.Modelled, energy.Formula:
		return "unknown"
	}
	return units.Energy(z.OthersNJ[rule]).String()
}

// WriteRules prints the first rows by every rule side by side, and the distance of each rule from
// ebb's own.
func (p *Profile) WriteRules(w io.Writer, rows []Row, top int) error {
	t := table{w: w}
	p.writeTotals(&t, 0)
	var head strings.Builder
	for _, r := range p.Rules {
		fmt.Fprintf(&head, " %10s", r)
	}
	t.line("share of what each rule attributes:")
	t.line("%s  %s", head.String(), "unit")
	totals := make([]int64, len(p.Rules))
	for _, r := range rows {
		for j, e := range r.Rules {
			totals[j] += e
		}
	}
	apart := make([]float64, len(p.Rules))
	for i, r := range rows {
		var line strings.Builder
		for j, e := range r.Rules {
			if p.Rules[j] == energy.Oblivious {
				fmt.Fprintf(&line, " %10s", p.over(r.Rules, e))
				continue
			}
			s := share(e, totals[j])
			fmt.Fprintf(&line, " %10s", percent(s))
			apart[j] += max(s-share(r.Rules[0], totals[0]), 0)
		}
		if top == 0 || i < top {
			t.line("%s  %s", line.String(), cut(r.Unit))
		}
	}
	var line strings.Builder
	note := ""
	for j, a := range apart {
		if p.Rules[j] == energy.Oblivious {
			fmt.Fprintf(&line, " %10s", p.over(totals, totals[j]))
			note = "; " + energy.Oblivious + ": its ratio to " + energy.Equal +
				" (Chappie, Table 2)"
			continue
		}
		fmt.Fprintf(&line, " %10s", percent(a))
	}
	t.line("%s  %s", line.String(), "assigned differently from "+p.Rules[0]+note)
	return t.err
}

// over prints how often an amount contains what rule energy.Equal gives: the over-attribution of
// Chappie's Table 2, whose measure is Chappie's own attribution.
func (p *Profile) over(byRule []int64, e int64) string {
	i := slices.Index(p.Rules, energy.Equal)
	if i < 0 || byRule[i] <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2fx", float64(e)/float64(byRule[i]))
}

// table prints lines and keeps the first error.
type table struct {
	w   io.Writer
	err error
}

func (t *table) line(format string, args ...any) {
	if t.err == nil {
		// Names that programs chose are among the arguments: none of them ends the line.
		_, t.err = fmt.Fprintln(t.w,
			strings.TrimRight(printable.Name(fmt.Sprintf(format, args...)), " "))
	}
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

func percent(v float64) string { return fmt.Sprintf("%.1f%%", 100*v) }

func short(ns int64) string { return time.Duration(ns).Round(time.Millisecond).String() }

// widest is the number of characters of a unit's name that are printed.
const widest = 100

// cut is a name as it can stand in a line.
func cut(s string) string { return printable.Cut(s, widest) }

// ErrMalformed: a profile contradicts itself, as one that was edited.
var ErrMalformed = errors.New("the attribution contradicts itself")

// Check reports whether indices and lengths fit, so that views of a profile that was read need not
// ask again, and whether it adds up.
func (p *Profile) Check() error {
	wrong := func(what string, i int) error {
		return fmt.Errorf("%w: %s %d", ErrMalformed, what,
			i)
	}
	if len(p.Rules) == 0 {
		return fmt.Errorf("%w: no rule", ErrMalformed)
	}
	for i := range p.Zones {
		z := &p.Zones[i]
		for _, l := range [][]int64{z.Attr, z.OthersNJ, z.IdleNJ, z.RestNJ} {
			if len(l) != len(p.Rules) {
				return wrong("zone", i)
			}
		}
		for j := range p.Rules {
			if z.Attr[j]+z.OthersNJ[j]+z.IdleNJ[j]+z.RestNJ[j] != z.TotalNJ {
				return fmt.Errorf("%w: zone %s does not add up by rule %s", ErrMalformed, z.Name,
					p.Rules[j])
			}
		}
	}
	for i := range p.Stacks {
		s := &p.Stacks[i]
		if s.Thread < 0 || s.Thread >= len(p.Threads) || len(s.EnergyNJ) != len(p.Rules) ||
			s.Samples < 0 {
			return wrong("stack", i)
		}
		if !p.known(s.Frames) {
			return wrong("stack", i)
		}
	}
	for i := range p.Nameless {
		if len(p.Nameless[i].EnergyNJ) != len(p.Rules) {
			return wrong("file without names", i)
		}
	}
	if p.Network == nil {
		return nil
	}
	for i := range p.Network.Transfers {
		if x := &p.Network.Transfers[i]; x.Thread < 0 || x.Thread >= len(p.Threads) ||
			!p.known(x.Frames) {
			return wrong("transfer", i)
		}
	}
	return nil
}

// known reports whether all of a stack's frames are there.
func (p *Profile) known(frames []int) bool {
	for _, f := range frames {
		if f < 0 || f >= len(p.Frames) {
			return false
		}
	}
	return true
}
