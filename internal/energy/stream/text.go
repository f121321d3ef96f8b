package stream

import (
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// WriteText prints a line as tables of the first so many processes, threads and methods, in lines
// of at most width characters.
func (l *Line) WriteText(w io.Writer, most, width int) error {
	for _, t := range []string{l.Head(), l.Parts(), l.Virtual()} {
		if t == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, printable.Cut(t, min(width, 300))); err != nil {
			return err
		}
	}
	for _, t := range l.tables(most) {
		if err := t.Write(w, width); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Virtual returns a sentence on virtual threads of Java, which have no lines of their own here; ""
// where none were sampled.
func (l *Line) Virtual() string {
	if l.VirtualNJ <= 0 || l.SampledNJ <= 0 {
		return ""
	}
	return fmt.Sprintf("virtual threads used %s: here it is in the lines of what carries them",
		printable.Percent(float64(l.VirtualNJ)/float64(l.SampledNJ)))
}

// Head returns one sentence on the moment.
func (l *Line) Head() string {
	s := fmt.Sprintf("%.1f s  %s", time.Duration(l.AtNS).Seconds(), l.Rate(l.Watts))
	if l.FreqHz > 0 {
		s += fmt.Sprintf("  %.2f GHz", float64(l.FreqHz)/1e9)
	}
	if l.Source != string(energy.Measured) && l.Joules() {
		s += "  (" + l.Source + ")"
	}
	if l.Ended {
		s += "  ended"
	}
	return s + "  " + l.Command
}

// Parts returns where the machine's energy went. The energy of others is unknown where the source
// has the target alone.
func (l *Line) Parts() string {
	others := "unknown"
	if energy.Source(l.Source).KnowsOthers() {
		others = units.Energy(l.OthersNJ).String()
	}
	if !l.Joules() {
		s := "program " + cpu(l.TargetNJ) + " of CPU time"
		return s + l.dropped()
	}
	s := fmt.Sprintf("program %v, others %s, idle %v", units.Energy(l.TargetNJ), others,
		units.Energy(l.IdleNJ))
	if l.RestNJ != 0 {
		s += fmt.Sprintf(", unattributed %v", units.Energy(l.RestNJ))
	}
	return s + l.dropped()
}

// dropped returns how many lines nobody took.
func (l *Line) dropped() string {
	if l.Dropped == 0 {
		return ""
	}
	return "; " + printable.Count(int64(l.Dropped), "line") + " dropped"
}

// Joules reports whether amounts are energy. Without a source of the machine's power they are CPU
// time, in ns, and watts are CPUs that are busy.
func (l *Line) Joules() bool { return energy.Source(l.Source).Joules() }

// Rate formats what a line has as watts.
func (l *Line) Rate(w float64) string {
	if !l.Joules() {
		return fmt.Sprintf("%.2f CPUs", w)
	}
	return fmt.Sprintf("%.2f W", w)
}

// amountCells returns the cells of an amount and of its CPU time. CPU time stands once.
func (l *Line) amountCells(amount int64, now string, ns int64) []string {
	if !l.Joules() {
		return []string{now, cpu(ns)}
	}
	return []string{units.Energy(amount).String(), now, cpu(ns)}
}

func cpu(ns int64) string { return fmt.Sprintf("%.2f s", time.Duration(ns).Seconds()) }

// tables returns the lists as tables.
func (l *Line) tables(most int) (out []*printable.Table) {
	figures := []printable.Column{{Title: "energy", Weight: 4}, {Title: "now", Weight: 3},
		{Title: "CPU", Weight: 2}}
	of := []printable.Column{{Title: "energy", Weight: 4}, {Title: "share", Weight: 3},
		{Title: "95 %", Weight: 2}, {Title: "CPU", Weight: 1}}
	if !l.Joules() {
		figures, of = figures[1:], of[1:]
	}
	p := &printable.Table{Name: "process", Columns: figures}
	for _, x := range l.Processes[:min(len(l.Processes), most)] {
		name := fmt.Sprintf("%s (%d)", x.Name, x.PID)
		if x.PID == 0 {
			name = x.Name
		}
		p.Row(name, l.amountCells(x.EnergyNJ, l.Rate(x.Watts), x.CPUNS)...)
	}
	left(p, len(l.Processes)-most, l.MoreProcesses)
	t := &printable.Table{Name: "thread", Columns: figures}
	for _, x := range l.Threads[:min(len(l.Threads), most)] {
		name, now := fmt.Sprintf("%s (%d)", x.Name, x.TID), l.Rate(x.Watts)
		if x.Ended {
			name, now = name+" ended", ""
		}
		t.Row(name, l.amountCells(x.EnergyNJ, now, x.CPUNS)...)
	}
	left(t, len(l.Threads)-most, l.MoreThreads)
	out = append(out, p, t)
	if len(l.Methods) == 0 {
		return out
	}
	m := &printable.Table{Name: "method", Columns: of}
	for _, x := range l.Methods[:min(len(l.Methods), most)] {
		cells := []string{units.Energy(x.EnergyNJ).String(), fmt.Sprintf("%.1f %%", 100*x.Share),
			fmt.Sprintf("%.1f to %.1f %%", 100*x.Low, 100*x.High), cpu(x.CPUNS)}
		m.Row(x.Unit, cells[len(cells)-len(of):]...)
	}
	left(m, len(l.Methods)-most, l.MoreMethods)
	return append(out, m)
}

// left adds a row with the number of things that the table leaves out.
func left(t *printable.Table, beyond, more int) {
	if n := max(beyond, 0) + max(more, 0); n > 0 {
		t.Row(fmt.Sprintf("(%d more)", n))
	}
}
