package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/simtest/campaign"
)

func newSim(std command.Stdio) *cobra.Command {
	var runs int
	var from uint64
	cmd := &cobra.Command{
		Use:   "sim [flags]",
		Short: "check the governor on simulated machines",
		Long: `Runs the governor on simulated machines. A seed draws everything that a run
depends on: the machine, the program, the settings and the faults. After every
event ebb-lab checks the rules that must always hold. It prints each rule that
was broken, with the seed, and at the end a summary of all runs. The status is
1 if a rule was broken. The same seed gives the same run.`,
		Example: `  ebb-lab sim --runs 1000
  ebb-lab sim --from 5147 --runs 1`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runs < 1 {
				return command.Usagef("--runs %d is not above zero", runs)
			}
			return simulate(cmd.Context(), from, runs, std)
		},
	}
	f := cmd.Flags()
	f.IntVar(&runs, "runs", 100, "run `N` seeds")
	f.Uint64Var(&from, "from", 1, "the first `SEED`")
	return cmd
}

// simulate runs the cases of some seeds. It fails where a rule was broken.
func simulate(ctx context.Context, from uint64, runs int, std command.Stdio) error {
	draw, clear := drawnBar(std.Err, "runs")
	defer clear()
	var all campaign.Totals
	broken := 0
	for i := range runs {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		draw(i, runs)
		c := campaign.Draw(from + uint64(i))
		r, err := campaign.Run(&c)
		if err != nil {
			return fmt.Errorf("run seed %d: %w", c.Seed, err)
		}
		all.Add(&c, r)
		if len(r.Broken) == 0 {
			continue
		}
		broken++
		clear()
		for _, b := range r.Broken {
			fmt.Fprintf(std.Out, "seed %d: %v\n", c.Seed, b)
		}
		fmt.Fprintf(std.Out, "seed %d: %v\n", c.Seed, &c)
	}
	fmt.Fprintln(std.Out, &all)
	if broken > 0 {
		return errors.New(printable.Count(broken, "run") + " broke a rule")
	}
	return nil
}
