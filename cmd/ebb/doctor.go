package main

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/doctor"
	"github.com/ebb-energy/ebb/internal/command"
)

func newDoctor(std command.Stdio) *cobra.Command {
	var asJSON bool
	var d doctor.Doctor
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "what this machine offers, and what ebb would do with it",
		Long: `Looks at what ebb needs, each with its reason and with what to do to get more,
and changes nothing. As another user than root it shows what that user may know.

With --measure it takes hold of the frequencies for a tenth of a second, to find out how long a
request takes until the clock has it, and puts them back.`,
		Example: "  sudo ebb doctor\n  sudo ebb doctor --measure\n  ebb doctor --json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			findings := d.Examine()
			if asJSON {
				return command.WriteJSON(std.Out, findings)
			}
			return doctor.Print(std.Out, findings)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&d.Measure, "measure", false,
		"change the frequency for a tenth of a second, to measure how long that takes")
	f.StringVar(&d.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&d.Proc, "procfs", "/proc",
		"`ROOT` of the machine's processes, searched for other governors")
	f.StringVar(&d.RunDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	return cmd
}
