package models

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func newModelTrain(std command.Stdio) *cobra.Command {
	var s crossvalSettings
	var output string
	var from powermodel.Provenance
	cmd := &cobra.Command{
		Use:   "train TABLE --power COLUMN --program COLUMN -o FILE",
		Short: "make a model of a metered table from elsewhere",
		Long: `Trains a power model on a metered table (see crossval) and writes it. Each
program is also left out in turn, to find out how far the model misses programs
that it has not seen. That takes five programs with at least 20 intervals each,
as crossval does; with fewer it stays unknown, and 100 intervals are enough. The
table does not say which machine it comes from: give --cpu-model and --cpus.`,
		Example: `  ebb model train server.csv.gz --power powerWatts --program workload \
      --cpu-model "Intel Xeon E5-2640" --cpus 24 -o server.ebbmodel`,
		RunE: func(_ *cobra.Command, args []string) error {
			table, learner, err := s.read(args)
			if err != nil {
				return err
			}
			m, err := powermodel.Train(table, learner, from)
			if err != nil {
				return command.Usagef("train on %s: %w", args[0], err)
			}
			if why := table.Enough(); why != nil {
				printable.Fprintf(std.Err, "ebb: the model's error for a program that it has "+
					"not seen is unknown: %v\n", why)
			}
			m.Tier = s.inputs
			if err := command.NotItself(output, args[0]); err != nil {
				return err
			}
			return command.ToFile(std.Out, output, m.Write)
		},
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "write to this `FILE` (default: standard output)")
	f.StringVar(&from.CPUModel, "cpu-model", "", "the machine's CPU `MODEL`, as in /proc/cpuinfo")
	f.IntVar(&from.CPUs, "cpus", 0, "the machine's `NUMBER` of CPUs")
	return cmd
}
