package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// benchSettings has the flags of bench, besides those of every measurement.
type benchSettings struct {
	*bench.Session
	sim     string
	profile string
}

func newBench(std command.Stdio) *cobra.Command {
	b := benchSettings{Session: bench.NewSession()}
	cmd := &cobra.Command{
		Use:   "bench --sim NAME [flags]",
		Short: "compare ebb with every fixed frequency on the simulated machine",
		Long: `Runs the program NAME on the simulated machine under each setting: each fixed
frequency, the machine as found, and ebb at each budget. The result is that of
ebb bench, which measures a command on this machine. A round's runs do the same
work; the same seed gives the same bytes. With -o or --journal each finished run
is saved at once; after an interruption the same command continues.`,
		Example: `  ebb-lab bench --sim xalan --slowdown 5%,10% -o results`,
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if b.sim == "" {
				return command.Usagef("nothing to measure: give --sim NAME")
			}
			return b.Execute(cmd.Context(), std, b.open)
		},
	}
	f := cmd.Flags()
	b.Flags(cmd)
	f.Uint64Var(&b.Seed, "seed", 1, "seed for the order of the settings and for the runs' work")
	programs, profiles := simulated()
	f.StringVar(&b.sim, "sim", "", "run program `NAME` on the simulated machine: "+programs)
	f.StringVar(&b.profile, "profile", "paper", "the simulated machine's `PROFILE`: "+profiles)
	command.Of(cmd, "sim").Proposes(command.OneOf(strings.Split(programs, ", ")...))
	return cmd
}

// open returns the simulated machine that the flags name.
func (b *benchSettings) open() (*bench.Target, error) {
	w, err := workload.ByName(b.sim)
	if err != nil {
		return nil, command.Usagef("--sim: %w", err)
	}
	p, err := hardware.ByName(b.profile)
	if err != nil {
		return nil, command.Usagef("--profile: %w", err)
	}
	if b.Config.Settle == 0 {
		b.Config.Settle = p.Transition.Longest()
	}
	b.Config.Calibrate()
	own := b.Config.Governor(p.States)
	if b.Rule != "" {
		own.Rule = b.Rule
	}
	r := &simRunner{Profile: p, Workload: w, Seed: b.Seed, Governor: own}
	return &bench.Target{
		Runner: r, States: r.States(), Governor: r.Found(), Source: bench.Simulated,
		Workload: w.Name, Options: b.Options(),
		Machine: bench.Testbed{CPUs: p.Cores, Simulated: p.Name, Actuator: "simulated"},
		Close:   func() error { return nil },
	}, nil
}

// simulated names what can be simulated, for the help.
func simulated() (programs, profiles string) {
	var p, m []string
	for _, w := range append(workload.Paper(), workload.More()...) {
		p = append(p, w.Name)
	}
	for _, x := range hardware.Profiles() {
		m = append(m, x.Name)
	}
	return strings.Join(p, ", "), strings.Join(append(m, "hidden-N (any N)"), ", ")
}
