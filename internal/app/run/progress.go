package run

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/meters"
	"github.com/ebb-energy/ebb/internal/app/run/methods"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// progressPeriod is the shortest time between two of the live texts.
const progressPeriod = 500 * time.Millisecond

// progressPatience bounds the wait for a terminal that takes no text, as after Ctrl-S.
const progressPatience = 250 * time.Millisecond

// progress shows on a terminal how a run goes. Its texts come with decisions, so nothing wakes
// while the program sleeps. Another goroutine finds the threads' names and draws, because a
// terminal may make it wait. The governor must not wait.
type progress struct {
	part.Passive
	bottom *command.Bottom
	sums   *report.Observer
	meters *meters.Meters
	budget units.Slowdown // 0 without a budget
	ends   string         // target that Ctrl-C ends
	busy   busy           // nil: no threads are shown
	look   func(epochs.TID) string
	texts  chan moment   // nil until the run begins
	drawn  chan struct{} // closed when the rows are given back
	at     units.Instant // time of the text before
	before report.SoFar
	power  metered
}

// metered is the power from the machine's meters.
type metered struct {
	at   units.Instant // time of the reading before
	used units.Energy
	of   units.Power // newest power; 0 until it is known
}

// openProgress shows the live rows, where messages go to a terminal.
func (r *run) openProgress(messages io.Writer, l *tally, m *meters.Meters) {
	bottom := command.NewBottom(messages)
	if bottom == nil || r.settings.Quiet || r.settings.Live == liveNone {
		return
	}
	p := &progress{bottom: bottom, sums: l.sums, meters: m, ends: "it"}
	if r.settings.Live != liveRow {
		p.busy = busy{}
	}
	p.look = func(t epochs.TID) string {
		_, comm, ok := methods.LookUp(r.Host.OwnID(t))
		if !ok {
			comm = "ended"
		}
		return fmt.Sprintf("%s (%d)", comm, t)
	}
	if r.settings.attaches() {
		p.ends = "ebb"
	}
	if s := r.settings; s.Frequency == 0 && s.Minimize == "" {
		p.budget = s.Slowdown
	}
	r.Use(part.Totals, p)
}

func (p *progress) Started() error {
	p.texts, p.drawn = make(chan moment, 1), make(chan struct{})
	go p.draw(p.texts)
	return nil
}

// draw draws until there are no more texts. An error means that the terminal is gone, and no run
// fails for that.
func (p *progress) draw(texts <-chan moment) {
	defer close(p.drawn)
	rows := 1
	if p.busy != nil {
		rows = tableRows
	}
	for m := range texts {
		_ = p.bottom.Draw(rows, func(width int) []string { return m.lines(width, p.look) })
	}
	_ = p.bottom.Close()
}

func (p *progress) Observer() governor.Observer { return p }

// Observe implements governor.Observer.
func (p *progress) Observe(ev *governor.Event, actions []governor.Action) {
	at := ev.At
	if ev.Kind == governor.Sched {
		at = ev.Sched.At
	}
	if ev.Kind == governor.Begin {
		p.at = at
	}
	if p.busy != nil && ev.Kind == governor.Sched {
		p.busy.add(&ev.Sched)
	}
	if len(actions) == 0 || at.Sub(p.at) < progressPeriod || p.texts == nil {
		return
	}
	now := p.sums.SoFar()
	p.readMeters()
	threads, cpus := p.busy.top(at.Sub(p.at))
	select {
	case p.texts <- moment{p.row(now, cpus), threads}:
	default: // the terminal is slow
	}
	p.at, p.before = at, now
	clear(p.busy)
}

// readMeters takes over the newest reading of the meters. It reads no meter itself.
func (p *progress) readMeters() {
	m := p.meters
	if m == nil {
		return
	}
	read, last := m.Newest()
	if len(read) == 0 || last == p.power.at {
		return
	}
	pkg, _, dram, ok := rapl.Sums(read)
	if used := pkg + dram; ok {
		if p.power.at != 0 {
			p.power.of = (used - p.power.used).Over(last.Sub(p.power.at))
		}
		p.power.at, p.power.used = last, used
	}
}

// row returns the figures in their places: watts where they are known, otherwise the CPUs that the
// program's threads kept busy.
func (p *progress) row(now report.SoFar, cpus float64) []cell {
	cells := []cell{{fmt.Sprintf(" %6.1f s", now.Time.Seconds()), 4}}
	if f := now.Clock(p.before); f > 0 {
		cells = append(cells, cell{fmt.Sprintf("  %3.1f GHz", float64(f)/1e9), 6})
	}
	slower := "     - % slower"
	if !now.Short() {
		slower = fmt.Sprintf("  %4.1f %% slower", 100*max(now.Slowdown, 0))
	}
	cells = append(cells, cell{slower, 9})
	if p.budget > 0 {
		cells = append(cells, cell{fmt.Sprintf(" of %.1f %%", 100*float64(p.budget)), 8})
	}
	if p.power.of > 0 {
		cells = append(cells, cell{fmt.Sprintf("  %5.1f W", float64(p.power.of)), 7})
	} else if w := now.Power(p.before); w > 0 { // power by a model that the user names
		cells = append(cells, cell{fmt.Sprintf("  %5.1f W (model)", float64(w)), 7})
	} else if p.busy != nil {
		cells = append(cells, cell{fmt.Sprintf("  %4.2f CPUs", cpus), 5})
	}
	return append(cells, cell{"  Ctrl-C ends " + p.ends, 1})
}

func (p *progress) Finish(context.Context, *report.Report) error { return p.Close() }

// close gives the rows back, unless the terminal takes nothing.
func (p *progress) Close() error {
	if p.texts == nil {
		return nil
	}
	close(p.texts)
	p.texts = nil
	select {
	case <-p.drawn:
	case <-time.After(progressPatience):
	}
	return nil
}
