package bench

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Progress is an Observer that shows a measurement's progress: a bar on a terminal, elsewhere a
// line for each round.
type Progress struct {
	w        io.Writer
	bar      *command.Bar
	plan     *Plan
	rounds   int
	forecast *forecast
	total    int
	done     int
	perRound map[int]int
	printed  bool // the expected time was printed
}

// NewProgress shows a measurement with the given number of rounds, of which some runs are done.
// With io.Discard it shows nothing.
func NewProgress(w io.Writer, p *Plan, rounds, parallel int, done []Sample) *Progress {
	g := &Progress{
		w: w, bar: command.NewBar(w), plan: p, rounds: rounds,
		forecast: newForecast(p, rounds, parallel, done),
		total:    rounds * len(p.Settings), perRound: map[int]int{},
	}
	for i := range done {
		if done[i].Round <= rounds {
			g.done++
			g.perRound[done[i].Round]++
		}
	}
	printable.Fprintf(w, "ebb: each of %d settings %d times: %s\n", len(p.Settings), rounds,
		g.settings())
	if g.done > 0 {
		fmt.Fprintf(w, "ebb: %d of %d runs are in the journal\n", min(g.done, g.total), g.total)
	}
	g.printForecast()
	return g
}

// settings describes what a round consists of.
func (p *Progress) settings() string {
	states := p.plan.States()
	var own []string
	for _, s := range p.plan.Settings {
		if s.Kind != Static {
			own = append(own, s.String())
		}
	}
	return fmt.Sprintf("%d frequencies from %v to %v, %s; energy: %s", len(states), states[0],
		states[len(states)-1], strings.Join(own, ", "), p.plan.Source)
}

// printForecast prints once the expected time, as soon as it is known.
func (p *Progress) printForecast() {
	if lo, hi, ok := p.forecast.left(); ok && !p.printed && p.done < p.total {
		p.printed = true
		p.bar.Clear()
		fmt.Fprintf(p.w, "ebb: this takes %s\n", command.Between(lo, hi))
	}
}

// Began implements Observer.
func (p *Progress) Began(s Setting, round int) {
	name := "warm-up"
	if round > 0 {
		name = fmt.Sprintf("round %d: %s", round, s)
	}
	p.bar.Draw(p.done, p.total, "runs", ", "+name+p.left())
}

// Finished implements Observer.
func (p *Progress) Finished(s *Sample, took time.Duration) {
	p.forecast.Add(s, took)
	if s.Round == 0 && s.Wall < shortRun {
		p.bar.Clear()
		fmt.Fprintf(p.w, "ebb: a run takes only %s: below %s, start and end are a large part of "+
			"what is measured\n", printable.Duration(s.Wall), printable.Duration(shortRun))
	}
	if s.Round > 0 {
		p.done++
		p.perRound[s.Round]++
	}
	p.printForecast()
	if s.Round > 0 && p.perRound[s.Round] == len(p.plan.Settings) && !p.bar.Terminal() {
		fmt.Fprintf(p.w, "ebb: round %d of %d done, %d of %d runs%s\n", s.Round, p.rounds, p.done,
			p.total, p.left())
	}
}

// left returns the time that is still needed, as the end of a line.
func (p *Progress) left() string {
	lo, hi, ok := p.forecast.left()
	if !ok || p.done >= p.total {
		return ""
	}
	return ", " + command.Between(lo, hi) + " left"
}

// End erases the bar.
func (p *Progress) End() { p.bar.Clear() }
