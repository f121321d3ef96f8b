package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func newRestore(std command.Stdio) *cobra.Command {
	var runDir, root string
	var wait bool
	cmd := &cobra.Command{
		Use:   "restore",
		Short: "put back the frequency settings that a killed ebb left",
		Long: `An ebb that ends, is interrupted or panics puts the machine's settings back
itself; if ebb is killed, its guardian does, and if that was killed too, the
deputy. If all three were, this command does, from the snapshot that ebb took
before its first write. It leaves alone and reports a value that another program
has changed since. It may be run at any time, any number of times.`,
		Example: "  sudo ebb restore",
		Args:    command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fs, err := sysfs.Open(root)
			if err != nil {
				return err
			}
			defer fs.Close()
			restore := cpufreq.Restore
			if wait {
				restore = cpufreq.RestoreLater
			}
			r, err := restore(runDir, fs)
			if err != nil && r.PID == 0 {
				return err // nothing is known of what there is to restore
			}
			return errors.Join(err, printRestoration(std, &r))
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait until the ebb that runs, and its guardian, "+
		"have ended; in a container as well")
	cmd.Flags().StringVar(&runDir, "run-dir", cpufreq.DefaultRunDir, "`DIRECTORY` of the snapshot")
	cmd.Flags().StringVar(&root, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	return cmd
}

// printRestoration prints what was put back. Its error is one of standard output.
func printRestoration(std command.Stdio, r *cpufreq.Restoration) error {
	var b strings.Builder
	switch {
	case r.PID == 0:
		b.WriteString("nothing to restore: there is no snapshot\n")
	case r.Rebooted:
		b.WriteString("nothing to restore: the machine was restarted since\n")
	default:
		for _, c := range r.Controls {
			if c.Result != cpufreq.Untouched {
				printable.Fprintf(&b, "%s\n", c.String())
			}
		}
		fmt.Fprintf(&b, "process %d: %s restored, %d never touched, %d kept as "+
			"another program set them, %d failed\n", r.PID,
			printable.Count(r.Count(cpufreq.Restored), "control"), r.Count(cpufreq.Untouched),
			r.Count(cpufreq.Kept), r.Count(cpufreq.Failed))
	}
	_, err := io.WriteString(std.Out, b.String())
	return err
}
