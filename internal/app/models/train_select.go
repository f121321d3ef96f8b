package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/sandbox"
	"github.com/ebb-energy/ebb/units"
)

// selecting has the flags by which events are selected.
type selecting struct {
	wanted          bool
	threshold, most units.Ratio
}

// check refuses shares that make no sense.
func (s *selecting) check() error {
	for _, r := range []units.Ratio{s.threshold, s.most} {
		if r <= 0 || r > 1 {
			return command.Usagef("--threshold and --overhead: give more than 0%%, up to 100%%")
		}
	}
	return nil
}

// selectEvents runs the user's programs with every event of their JVMs counted, and chooses.
func (s *trainSettings) selectEvents(ctx context.Context, todo []train.Program, t *train.Settings,
	std command.Stdio, say func(string, ...any),
) (*train.Selection, error) {
	names, sides, err := reported(ctx, todo)
	if err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	perHit, err := jvm.PerHit(own)
	if err != nil {
		return nil, err
	}
	say("a hit of a probe costs %.0f ns here; the JVM has %s", perHit,
		printable.Count(len(names), "event"))
	var runs []train.Probed
	for i := range todo {
		p := todo[i]
		if p.Own() {
			continue
		}
		run, err := s.countAll(ctx, &p, t, names, sides)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		say("%s: counted all events for %.1f s of CPU time", p.Name, run.CPU.Seconds())
	}
	chosen := train.Select(names, runs, perHit, float64(s.selecting.threshold),
		float64(s.selecting.most))
	for i := range todo {
		if p := todo[i]; p.Progress != "" && len(chosen.Events()) > 0 {
			r, err := s.onAndOff(ctx, &p, t, chosen.Events())
			if err != nil {
				return nil, err
			}
			chosen.Note(p.Name, r)
		}
	}
	return chosen, printSelection(std.Out, chosen)
}

// reported returns the events of the JVMs that the user's programs may load, with the number of
// probes of each.
func reported(ctx context.Context, todo []train.Program) (names []string, sides []int, err error) {
	for _, p := range todo {
		if p.Own() || len(p.Argv) == 0 {
			continue
		}
		found, _ := live.JVMs(p.Argv[0]) // the JVMs that could be opened count
		for _, j := range found {
			places, evErr := sandbox.Events(ctx, j.File)
			err = errors.Join(err, evErr, j.File.Close())
			for _, e := range places {
				if !slices.Contains(names, e.Name) {
					n := 1
					if len(e.Ends) > 0 {
						n = 2
					}
					names, sides = append(names, e.Name), append(sides, n)
				}
			}
		}
	}
	if err == nil && len(names) == 0 {
		err = command.Usagef("--select: no JVM with probes was found for your programs: give a " +
			"java command after --, or a --plan")
	}
	return names, sides, err
}

// countAll runs a program, for as long as one of ebb's own, with all events counted.
func (s *trainSettings) countAll(ctx context.Context, p *train.Program, t *train.Settings,
	names []string, sides []int,
) (out train.Probed, err error) {
	f, err := jvm.Follow(nil, names)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	e := &events{Follower: f, ctx: ctx}
	if err := e.Begin(p.Argv); err != nil {
		return out, err
	}
	limited := *t
	limited.Events = e
	out.Program = p.Name
	if out.CPU, err = train.RunOnce(ctx, p, &limited, min(p.Time, s.each), nil); err != nil {
		return out, err
	}
	counts, err := f.Counts()
	if err != nil {
		return out, err
	}
	for i, c := range counts {
		hits := c.Begun
		if sides[i] > 1 {
			hits += c.Ended
		}
		out.Hits = append(out.Hits, hits)
	}
	return out, ctx.Err()
}

// Bounds of a run with counting on and off in turn: the length of a stretch, and the number of
// triples.
const (
	stretch     = 2 * time.Second
	mostTriples = 34
)

// mostShown bounds the events that are printed.
const mostShown = 40

// costText returns a measured cost with its interval.
func costText(c *jvm.Cost) string {
	if len(c.Triples) == 0 {
		return "an unknown part"
	}
	text := fmt.Sprintf("%+.2f %%", 100*c.Median)
	if !math.IsNaN(c.Low) && !math.IsNaN(c.High) {
		text += fmt.Sprintf(" (%+.2f to %+.2f)", 100*c.Low, 100*c.High)
	}
	return text
}

func printSelection(out io.Writer, s *train.Selection) error {
	width := command.PageWidth(out)
	say := func(format string, args ...any) {
		for _, line := range command.Wrap(fmt.Sprintf(format, args...), width) {
			printable.Fprintf(out, "%s\n", line)
		}
	}
	say("%s: %d in none of the programs (rare), %d above a cost of %.3g %% for a program (over), "+
		"%d below (under)", printable.Count(len(s.Choices), "event"), s.Count(train.Rare),
		s.Count(train.Over), 100*s.Threshold, s.Count(train.Under))
	w := &printable.Table{Name: "event", Columns: []printable.Column{{Title: "cost", Weight: 4},
		{Title: "class", Weight: 2}, {Title: "chosen", Weight: 3}, {Title: "most in", Weight: 1}}}
	for i, c := range s.Choices {
		if i == mostShown || c.Class == train.Rare {
			break
		}
		chosen := "no"
		if c.Chosen {
			chosen = "yes"
		}
		w.Row(c.Event, fmt.Sprintf("%.3f %%", 100*c.Cost), fmt.Sprint(c.Class), chosen, c.Program)
	}
	if err := w.Write(out, width); err != nil {
		return err
	}
	for _, p := range s.Programs {
		say("%s: counting all events costs %.2f %% of its CPU time, the chosen ones (%d) %.2f %%",
			p.Program, 100*p.All, len(s.Events()), 100*p.Chosen)
		if m := p.Measured; m != nil {
			say("  measured, on and off in turn within a run: %s of its CPU time; %s of the "+
				"time that an operation takes; %s of the machine's energy meanwhile (95 %% "+
				"intervals, %s)",
				costText(&m.CPU), costText(&m.Wall), costText(&m.Energy),
				printable.Count(len(m.CPU.Triples), "triple"))
		}
	}
	return nil
}
