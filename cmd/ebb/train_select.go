package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/ebb-energy/ebb/activity/jvm/calibrate"
	"github.com/ebb-energy/ebb/activity/jvm/follow"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/sandbox"
	"github.com/ebb-energy/ebb/train"
	"github.com/ebb-energy/ebb/units"
)

// selecting is how events are selected.
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
	perHit, err := calibrate.PerHit(own)
	if err != nil {
		return nil, err
	}
	say("a hit of a probe costs %.0f ns here; the JVM has %d events", perHit, len(names))
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

// reported are the events of the JVMs that the user's programs may load, with the number of probes
// of each.
func reported(ctx context.Context, todo []train.Program) (names []string, sides []int, err error) {
	for _, p := range todo {
		if p.Own() || len(p.Argv) == 0 {
			continue
		}
		found, _ := live.JVMs(p.Argv[0]) // what could be opened counts
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
	f, err := follow.Open(nil, names)
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

// Stretches of counting on and off.
const (
	stretch     = 2 * time.Second
	mostTriples = 34
)

// mostShown bounds the events that are printed.
const mostShown = 40

func printSelection(out io.Writer, s *train.Selection) error {
	fmt.Fprintf(out, "%d events: %d occur in none of the programs (rare), %d cost a program more "+
		"than %.3g %% (over), %d are under\n", len(s.Choices), s.Count(train.Rare),
		s.Count(train.Over), 100*s.Threshold, s.Count(train.Under))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "cost\tclass\tchosen\t  event\t  most in")
	for i, c := range s.Choices {
		if i == mostShown || c.Class == train.Rare {
			break
		}
		chosen := "no"
		if c.Chosen {
			chosen = "yes"
		}
		printable.Fprintf(w, "%.3f %%\t%s\t%s\t  %s\t  %s\n", 100*c.Cost, c.Class, chosen, c.Event,
			c.Program)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range s.Programs {
		printable.Fprintf(out, "%s: counting all events costs %.2f %% of its CPU time, the %d "+
			"chosen ones %.2f %%\n", p.Program, 100*p.All, len(s.Events()), 100*p.Chosen)
		if m := p.Measured; m != nil {
			fmt.Fprintf(out, "  measured, on and off in turn within a run: %+.2f %% (95 %% "+
				"interval %+.2f to %+.2f, %d triples)\n", 100*m.Median, 100*m.Low, 100*m.High,
				len(m.Triples))
		}
	}
	return nil
}
