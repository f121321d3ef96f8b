package main

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/command"
)

func newRecord(std command.Stdio) *cobra.Command {
	s := &runSettings{Settings: run.NewSettings()}
	s.RecordOnly = true
	return recordCommand(s, std)
}

// recordCommand returns the command record, whose flags set s.
func recordCommand(s *runSettings, std command.Stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record [flags] (--pid N | --cgroup PATH | --unit NAME | -- CMD [ARG]...)",
		Short: "record a program's synchronisation epochs; change nothing",
		Long: `Runs in shadow mode and writes the program's epoch table, for ebb predict, a
recording, for ebb replay, or a table of its functions, for ebb run on a machine
without counters. It never sets the machine's frequency.`,
		Example: `  sudo ebb record --epochs app.csv.gz -- java -jar app.jar
  ebb predict app.csv.gz --to 2GHz,3GHz
  sudo ebb record --sensitivity app.functions -- ./app`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Files.Epochs == "" && s.Files.Recording == "" && s.Sensitivity.File == "" {
				return command.Usagef("no output: give --epochs FILE, --record FILE or " +
					"--sensitivity FILE")
			}
			return s.execute(cmd, args, std)
		},
	}
	s.targetFlags(cmd)
	cmd.Flags().StringVar(&s.Files.Epochs, "epochs", "",
		"write the epoch table to this `FILE`; compressed when it ends in .gz")
	cmd.Flags().StringVar(&s.Files.Recording, "record", "",
		"write the governor's inputs and actions to this `FILE`")
	cmd.Flags().StringVar(&s.Sensitivity.File, "sensitivity", "",
		"write to this `FILE` which share of each function's time scales with the clock, for "+
			"ebb run --sensitivity on a machine without counters")
	return cmd
}
