package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/power/activity"
)

// outcome says what came of a program's run.
type outcome struct {
	Program   string
	Kept      int
	Disturbed int   // dropped intervals in which others used too much
	Lost      int   // dropped intervals that the meter or the counters lost
	Failed    error // how the program failed; nil: it did not
}

// machine holds what is measured: the machine's counts, and its power.
type machine struct {
	source   *activity.Source
	meter    meter
	names    []string // names of the inputs
	events   Events   // nil: no events are counted
	turn     func() error
	cpus     int
	interval time.Duration
	others   float64 // the most that other programs may use, as a part of all CPUs' time
}

// moment holds readings of everything at the end of an interval.
type moment struct {
	activity.Reading
	wall   time.Time
	own    time.Duration
	events map[string]float64 // inputs of Java machines, since the moment before
}

// measure runs a program and measures until it ends, or its time is over.
func (m *machine) measure(ctx context.Context, p *Program, run int,
	start func(context.Context) (*child, error),
) (kept []Interval, out outcome, err error) {
	out.Program = p.Name
	if m.events != nil {
		argv := p.Argv
		if p.own {
			argv = nil // it has no JVM
		}
		if err := m.events.Begin(argv); err != nil {
			return nil, out, err
		}
	}
	last, _, err := m.look(nil) // the first cut of a meter has no power
	if err != nil && !errors.Is(err, errGap) {
		return nil, out, err
	}
	var c *child
	var ended chan struct{}
	if len(p.Argv) > 0 {
		if c, err = start(ctx); err != nil {
			return nil, out, err
		}
		defer func() {
			if c != nil {
				_ = c.stop() // its time is over
			}
		}()
		ended = c.ended
	}
	over := make(<-chan time.Time)
	if p.Time > 0 {
		over = time.After(p.Time)
	}
	tick := time.NewTicker(min(m.interval, m.meter.period()))
	defer tick.Stop()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return kept, out, nil
		case <-over:
			return kept, out, nil
		case <-ended:
			out.Failed = failed(c.stop())
			c = nil
			return kept, out, nil
		case <-tick.C:
		}
		now := monotonic.Now()
		if now.Sub(last.At) < m.interval-m.interval/10 {
			m.meter.look(now)
			continue
		}
		next, watts, gap := m.look(c)
		if gap != nil && !errors.Is(gap, errGap) {
			return kept, out, gap
		}
		if err := m.judge(&last, &next, watts, gap, &kept, &out, run); err != nil {
			return kept, out, err
		}
		last = next
		if n++; m.turn != nil && n%turnIntervals == 0 {
			if err := m.turn(); err != nil {
				return kept, out, err
			}
		}
	}
}

// turnIntervals is the number of intervals between two changes of the clocks. The meter is read
// right before one.
const turnIntervals = 3

// look reads everything. An error of the meter is the only one that may be errGap.
func (m *machine) look(c *child) (next moment, watts float64, err error) {
	next.wall = time.Now() // right beside the other clock: what follows may take its time
	if next.Reading, err = m.source.Read(); err != nil {
		return next, 0, err
	}
	if m.events != nil {
		next.events = map[string]float64{}
		if err := m.events.Window(next.events); err != nil {
			return next, 0, err
		}
	}
	watts, err = m.meter.cut(next.At)
	if c != nil {
		next.own = c.used()
	}
	return next, watts, err
}

// judge keeps an interval, or counts why it does not.
func (m *machine) judge(last, next *moment, watts float64, gap error, kept *[]Interval,
	out *outcome, run int,
) error {
	in, err := activity.Between(&last.Reading, &next.Reading)
	if err != nil {
		return err
	}
	maps.Copy(in, next.events)
	wall := next.At.Sub(last.At)
	all := wall.Seconds() * float64(max(next.Stat.CPUs, 1))
	others := in["cpu_busy"]/100 - (next.own-last.own).Seconds()/all + in["cpu_steal"]/100
	switch {
	case gap != nil, !whole(in, m.names), m.broken(last, next):
		out.Lost++
	case min(others, 1) > m.others: // both have the grain of the kernel's ticks
		out.Disturbed++
	default:
		out.Kept++
		*kept = append(*kept, Interval{Program: out.Program, Run: run, At: last.wall, Power: watts,
			Inputs: inputsOf(in, m.names)})
	}
	return nil
}

// starter returns the function that starts a program, followed by the settings' Events.
func starter(p *Program, s *Settings) func(context.Context) (*child, error) {
	return func(ctx context.Context) (*child, error) {
		start := func(f func() error) error { return f() }
		if s.Events != nil {
			start = s.Events.Launch
		}
		c, err := launch(ctx, p, s.User, s.Out, s.Errors, start)
		if err != nil {
			return nil, fmt.Errorf("start %s: %w", p.Name, err)
		}
		return c, nil
	}
}

// whole reports whether a window has all of these inputs.
func whole(in activity.Inputs, names []string) bool {
	for _, name := range names {
		if _, ok := in[name]; !ok {
			return false
		}
	}
	return true
}

// broken reports whether an interval is not all of one machine that was awake: CPUs went or came,
// or the wall clock and the one that stops in suspend went apart.
func (m *machine) broken(last, next *moment) bool {
	slept := next.wall.Round(0).Sub(last.wall.Round(0)) - next.At.Sub(last.At)
	return slept.Abs() > m.interval/2 ||
		m.cpus > 0 && (last.Stat.CPUs != m.cpus || next.Stat.CPUs != m.cpus)
}
