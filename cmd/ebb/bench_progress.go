package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/bench/host"
	"github.com/ebb-energy/ebb/internal/printable"
)

// offerSimulation adds the way out where this machine's frequency can not be set.
func offerSimulation(err error) error {
	if errors.Is(err, host.ErrNoControl) {
		return fmt.Errorf(
			"%w; nothing to compare here: ebb bench --sim xalan does it on the simulated machine, ebb run --shadow -- COMMAND predicts for this program", err,
		)
	}
	return err
}

// benchProgress tells how a measurement goes on: a bar on a terminal, else a line for each round.
type benchProgress struct {
	w        io.Writer
	quiet    bool
	terminal bool
	plan     *bench.Plan
	rounds   int
	forecast *bench.Forecast
	total    int
	done     int
	perRound map[int]int
	told     bool // how long it will take
	drawn    int  // characters of the bar
}

func newBenchProgress(
	w io.Writer, quiet bool, p *bench.Plan, rounds, parallel int, done []bench.Sample,
) *benchProgress {
	b := &benchProgress{
		w: w, quiet: quiet, plan: p, rounds: rounds, forecast: bench.NewForecast(p, rounds,
			parallel, done),
		total: rounds * len(p.Settings), perRound: map[int]int{},
	}
	f, ok := w.(*os.File)
	if ok {
		_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		b.terminal = err == nil
	}
	for i := range done {
		if done[i].Round <= rounds {
			b.done++
			b.perRound[done[i].Round]++
		}
	}
	if !quiet {
		printable.Fprintf(w, "ebb: each of %d settings %d times: %s\n", len(p.Settings), rounds,
			b.settings())
		if b.done > 0 {
			fmt.Fprintf(w, "ebb: %d of %d runs are in the journal\n", min(b.done, b.total), b.total)
		}
	}
	b.tell()
	return b
}

// settings says what a round consists of.
func (b *benchProgress) settings() string {
	states := b.plan.States()
	var own []string
	for _, s := range b.plan.Settings {
		if s.Kind != bench.Static {
			own = append(own, s.String())
		}
	}
	return fmt.Sprintf("%d frequencies from %v to %v, %s; energy %s", len(states), states[0],
		states[len(states)-1], strings.Join(own, ", "), b.plan.Source)
}

// tell says once how long it will take, as soon as that can be said.
func (b *benchProgress) tell() {
	if lo, hi, ok := b.forecast.Left(); ok && !b.told && !b.quiet && b.done < b.total {
		b.told = true
		b.clear()
		fmt.Fprintf(b.w, "ebb: this takes %s\n", between(lo, hi))
	}
}

// Began implements bench.Observer.
func (b *benchProgress) Began(s bench.Setting, round int) {
	name := "warm-up"
	if round > 0 {
		name = fmt.Sprintf("round %d: %s", round, s)
	}
	b.draw(name)
}

// Finished implements bench.Observer.
func (b *benchProgress) Finished(s *bench.Sample, took time.Duration) {
	b.forecast.Add(s, took)
	if s.Round == 0 && s.Wall < bench.ShortRun && !b.quiet {
		b.clear()
		fmt.Fprintf(
			b.w, "ebb: a run takes %v only: below %v, starting and ending is much of what is measured\n", s.Wall.Round(time.Millisecond), bench.ShortRun,
		)
	}
	if s.Round > 0 {
		b.done++
		b.perRound[s.Round]++
	}
	b.tell()
	if s.Round > 0 && b.perRound[s.Round] == len(b.plan.Settings) && !b.terminal && !b.quiet {
		fmt.Fprintf(b.w, "ebb: round %d of %d done, %d of %d runs%s\n", s.Round, b.rounds, b.done,
			b.total, b.left())
	}
}

func (b *benchProgress) left() string {
	lo, hi, ok := b.forecast.Left()
	if !ok || b.done >= b.total {
		return ""
	}
	return ", " + between(lo, hi) + " left"
}

// between is a time to come, as exactly as it is known.
func between(lo, hi time.Duration) string {
	a, z := coarse(lo), coarse(hi)
	if a == z {
		return "about " + a
	}
	return a + " to " + z
}

func coarse(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= 10*time.Minute:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	case d >= time.Minute:
		d = d.Round(10 * time.Second)
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
}

const barWidth = 30

func (b *benchProgress) draw(what string) {
	if !b.terminal || b.quiet {
		return
	}
	full := barWidth * min(b.done, b.total) / max(b.total, 1)
	line := fmt.Sprintf("[%s%s] %d of %d runs, %s%s", strings.Repeat("#", full),
		strings.Repeat(".", barWidth-full), b.done, b.total, what, b.left())
	if len(line) >= b.width() {
		line = line[:b.width()-1] // a line that is broken could not be taken away
	}
	b.clear()
	fmt.Fprint(b.w, line)
	b.drawn = len(line)
}

// width is how many characters the terminal has in a line.
func (b *benchProgress) width() int {
	const usual = 80
	if f, ok := b.w.(*os.File); ok {
		if size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ); err == nil &&
			size.Col > 1 {
			return int(size.Col)
		}
	}
	return usual
}

// clear takes the bar away.
func (b *benchProgress) clear() {
	if b.drawn > 0 {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = 0
	}
}

// end takes the bar away for good.
func (b *benchProgress) end() { b.clear() }
