package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/governor/replay"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/internal/safefile"
	"github.com/ebb-energy/ebb/policy"
)

func newReplay(std command.Stdio) *cobra.Command {
	var m choices
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "replay a recording and check that every action is the same",
		Long: `Feeds the events of a recording (ebb run --record FILE) to a governor with the
recorded configuration and compares every action bit for bit. At the first
difference ebb prints it and exits with status 1. A recording that was cut off
is replayed up to its last whole frame. FILE may be compressed with gzip, as
those in governor/replay/testdata are.

With another --model, --estimator, --ctp or --rule the actions may differ: ebb
prints how many decisions agree, and the mean frequency of each. The clock is
the recorded one; it does not follow the new requests.
` + choicesHelp(),
		Example: `  sudo ebb run --slowdown 5% --record r.ebb -- ./app
  ebb replay r.ebb
  ebb replay r.ebb --model dep+burst --ctp per-epoch`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.replay(cmd.Context(), args[0], std)
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.model, "model", "", "compare with the decisions by `MODEL`")
	f.StringVar(&m.estimator, "estimator", "",
		"compare with the decisions by non-scaling time `FROM` another estimator")
	f.StringVar(&m.ctp, "ctp", "",
		"compare with the critical thread prediction `MODE` of dep: across or per-epoch")
	f.StringVar(&m.rule, "rule", "",
		"compare with the decisions by `RULE`: "+strings.Join(policy.Rules(), ", "))
	command.PaperFlags(cmd)
	cmd.ValidArgsFunction = command.Files("ebb", "gz")
	return cmd
}

func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return command.Usagef("%s takes one file, but was given %d", cmd.CommandPath(), len(args))
	}
	return nil
}

func (c *choices) replay(ctx context.Context, path string, std command.Stdio) error {
	f, err := safefile.Open(path)
	if err != nil {
		return command.UsageError(err)
	}
	defer f.Close()
	in, err := safefile.Unpacked(f)
	if err != nil {
		return command.Usagef("%s: %w", path, err)
	}
	p, err := replay.NewPlayer(in)
	if err != nil {
		return command.Usagef("%s: %w", path, err)
	}
	if *c != (choices{}) {
		if p.Tenants() != nil {
			return command.Usagef("%s is of several tenants, of which ebb replays the recorded "+
				"choices only", path)
		}
		return c.compare(ctx, p, path, std.Out)
	}
	g, err := stepper(p)
	if err != nil {
		return command.Usagef("%s: %w", path, err)
	}
	var seen counts
	err = governor.Run(ctx, g, p, &seen)
	switch {
	case errors.Is(err, replay.ErrFormat):
		return command.Usagef("%s: %w", path, err)
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = printable.Fprintf(std.Out, "%s: %d events, %d actions agree, %d of them decisions\n",
		path, seen.events, p.Applied(), seen.decisions)
	if err == nil && p.Truncated() {
		_, err = printable.Fprintf(std.Out, "%s: cut off; played to its last whole frame\n", path)
	}
	return err
}

// stepper returns the governor that was recorded, or the governors of several tenants.
func stepper(p *replay.Player) (governor.Stepper, error) {
	if tenants := p.Tenants(); tenants != nil {
		return many.New(*tenants)
	}
	return governor.New(p.Config())
}

// counts is a governor.Observer that counts events and decisions.
type counts struct{ events, decisions int }

func (c *counts) Observe(_ *governor.Event, actions []governor.Action) {
	c.events++
	for i := range actions {
		if actions[i].Kind == governor.Decided {
			c.decisions++
		}
	}
}
