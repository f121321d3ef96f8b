package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/doctor"
	"github.com/ebb-energy/ebb/internal/command"
)

func newDoctor(std command.Stdio) *cobra.Command {
	var asJSON bool
	var d doctor.Doctor
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check what this machine offers, and what ebb would do with it",
		Long: `Checks everything that ebb needs and changes nothing. Each finding comes with
its reason and, where there is more to gain, with advice: it is good, a warning,
or something is missing. The page ends with what to do next. The exit status is
0 where ebb run would run a program, be it in shadow mode, and 1 where it would
refuse, as it does without root.

With --measure it sets frequencies for a tenth of a second to measure the settle
time, from a request until the clock has it, and then restores them.`,
		Example: "  sudo ebb doctor\n  sudo ebb doctor --measure\n  ebb doctor --json",
		Args:    command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			findings := d.Examine()
			print := doctor.Print
			if asJSON {
				print = func(w io.Writer, f []doctor.Finding) error {
					return command.WriteJSON(w, f)
				}
			}
			if err := print(std.Out, findings); err != nil || doctor.Works(findings) {
				return err
			}
			return command.StatusError(command.Failed)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&d.Measure, "measure", false,
		"set frequencies for a tenth of a second to measure the settle time")
	f.StringVar(&d.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&d.Proc, "procfs", "/proc",
		"`ROOT` of the machine's processes, searched for other governors")
	f.StringVar(&d.RunDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings")
	return cmd
}
