package attribution

import (
	"context"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// Marks is the source of the program's marks. *sandbox.Host is one: a process without rights reads
// what the program writes.
type Marks interface {
	// TakeMarks has take called from Poll with its time and with marks, in the order in which they
	// were written. More reports that there were more than one answer takes.
	TakeMarks(take func(at units.Instant, list []instrumented.Mark, bad uint64, more bool))
	// AskMarks asks for new marks, unless an answer is still due. It reports whether one is due.
	AskMarks(at units.Instant) bool
	// LastMarks waits for the answer that is due.
	LastMarks(ctx context.Context, now func() units.Instant)
}

// marked turns the program's marks into sections of the ledgers. The methods do nothing for nil,
// which stands for a run without marks.
type marked struct {
	c       *Attributor
	regions *instrumented.Regions
	asked   units.Instant // time of the question whose answer is due
	due     bool
	until   units.Instant // time up to which all marks are known
	behind  bool          // there were more marks than an answer takes
	bad     uint64        // number of lines that were no marks
	durs    map[energy.Section]*profile.Section
}

func newMarked(c *Attributor) *marked {
	m := &marked{c: c, regions: instrumented.NewRegions(),
		durs: map[energy.Section]*profile.Section{}}
	c.cfg.Marks.TakeMarks(m.take)
	return m
}

// cut asks for the marks of the window that ends.
func (m *marked) cut(at units.Instant) {
	if m != nil {
		m.ask(at)
	}
}

// tick goes on with what one answer could not take, and asks again where no answer came because the
// process was lost.
func (m *marked) tick(at units.Instant) {
	if m == nil {
		return
	}
	// A full pipe would stop the program, also before the first window.
	if m.behind || m.until < m.c.last || at.Sub(m.asked) >= m.c.cfg.Window {
		m.ask(at)
	}
}

// ask asks, unless an answer is due. Where nobody answers any more, no further marks will come.
func (m *marked) ask(at units.Instant) {
	was := m.due
	if m.due = m.c.cfg.Marks.AskMarks(at); !m.due {
		m.until = at
	} else if !was {
		m.asked = at
	}
}

// known returns the time up to which everything is known, marks as well.
func (m *marked) known(at units.Instant) units.Instant {
	if m == nil {
		return at
	}
	return min(at, m.until)
}

// take takes an answer that came at some time. A mark's own time counts only between what is booked
// and now, because marks come neither before the one nor after the other. Marks that were written
// while the answer was on its way keep their times. A mark without a time gets that of the
// question, and stays behind the mark before it.
func (m *marked) take(at units.Instant, list []instrumented.Mark, bad uint64, more bool) {
	m.due, m.behind = false, more
	m.bad += min(bad, 1<<32)
	instrumented.OrderMarks(list, m.asked, max(at, m.asked))
	for _, k := range list {
		section := m.regions.Take(k, m.c.detail())
		m.c.builder.Section(k.At, energy.Section(section))
	}
	if !more {
		m.until = m.asked
	}
	m.until = max(m.until, m.asked.Add(-mostBehind))
}

// mostBehind bounds the time that windows wait for marks. Without it, ebb would have to keep
// everything for a program that marks faster than ebb reads. Marks that come later count from the
// first window that is not booked.
const mostBehind = time.Second

// detail returns how finely sections are distinguished: no finer than the ledgers have room for.
func (a *Attributor) detail() instrumented.Detail {
	if len(a.ledgers) == 0 {
		return instrumented.Iterations
	}
	switch bytes := entryBytes * len(a.ledgers) * len(a.ledgers[0].Entries()); {
	case bytes > maxBytes/4*3:
		return instrumented.NoRegions
	case bytes > maxBytes/2:
		return instrumented.RegionNames
	}
	return instrumented.Iterations
}

// booked notes the times of a window's sections.
func (m *marked) booked(w *energy.Window) {
	if m == nil {
		return
	}
	stays := w.Sections
	if len(stays) == 0 {
		stays = []energy.Stay{{Dur: w.Dur()}}
	}
	for _, s := range stays {
		d := m.durs[s.Section]
		if d == nil {
			d = &profile.Section{FromNS: int64(max(w.From-m.c.begin, 0))}
			m.durs[s.Section] = d
		}
		d.DurNS += int64(s.Dur)
	}
}

func (m *marked) takeLast(ctx context.Context, now func() units.Instant) {
	if m == nil {
		return
	}
	m.c.cfg.Marks.LastMarks(ctx, now)
	m.until = max(m.until, m.c.last)
}

// sections adds the sections to a profile.
func (a *Attributor) sections(p *profile.Profile) {
	m := a.marked
	if m == nil {
		return
	}
	by := make([]map[energy.Section][]energy.Totals, len(a.ledgers))
	for i, l := range a.ledgers {
		by[i] = l.BySection()
	}
	for i, open := range m.regions.Sections() {
		s := profile.Section{Regions: []profile.Region{}, Zones: make([]profile.Sums,
			len(p.Zones))}
		if d := m.durs[energy.Section(i)]; d != nil {
			s.FromNS, s.DurNS = d.FromNS, d.DurNS
		}
		for _, r := range open {
			s.Regions = append(s.Regions, profile.Region(r))
		}
		for z := range s.Zones {
			for _, ledger := range by {
				s.Zones[z].Append(ledger[energy.Section(i)], z)
			}
		}
		p.Sections = append(p.Sections, s)
	}
	if ignored, coarse := m.regions.Ignored(); ignored > 0 || coarse || m.bad > 0 {
		a.problems = append(a.problems, problemOf(ignored, coarse, m.bad))
	}
}

// problemOf says which marks had no effect.
func problemOf(ignored int, coarse bool, bad uint64) string {
	s := fmt.Sprintf("marks: %d had no effect (an end without a begin, or more regions than ebb "+
		"keeps apart); no mark in %s", ignored, printable.Count(bad, "line"))
	if coarse {
		s += "; there was no room to keep later iterations apart"
	}
	return s
}
