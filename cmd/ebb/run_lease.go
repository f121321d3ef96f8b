package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/serve"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// leased are the flags of ebb run that also work for a command under a lease.
var leased = []string{"slowdown", "user", "keep-env", "quiet", "takeover", "alone", "sysfs",
	"procfs", "run-dir"}

// service returns the process id of the ebb serve that governs the run's machine; 0 for none.
func (s *runSettings) service() int {
	if s.Shadow || s.RecordOnly {
		return 0
	}
	return cpufreq.Governing(s.Roots.RunDir)
}

// lease runs a command as a tenant of the service that governs the machine.
func (s *runSettings) lease(cmd *cobra.Command, args []string, pid int, std command.Stdio) error {
	if s.Alone {
		return fmt.Errorf("ebb serve (pid %d) governs this machine, and --alone takes no lease "+
			"from it", pid)
	}
	var other string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if other == "" && !slices.Contains(leased, f.Name) {
			other = f.Name
		}
	})
	switch {
	case other != "":
		return command.Usagef("--%s: ebb serve (pid %d) governs this machine, and under a lease "+
			"of it a command has a --slowdown and no more", other, pid)
	case len(args) == 0:
		return command.Usagef("which command? ebb serve (pid %d) governs this machine, and a "+
			"lease is for a command", pid)
	}
	id, err := run.Identity(s.User, s.KeepEnv)
	if err != nil {
		return err
	}
	if !s.Quiet {
		printable.Fprintf(std.Err, "ebb: a tenant of ebb serve (pid %d), at most %v slower; "+
			"ebb status shows it\n", pid, s.Slowdown)
	}
	c := serve.Leased{Socket: filepath.Join(s.Roots.RunDir, serve.SocketName), Slowdown: s.Slowdown,
		Argv: args, Identity: id}
	return c.Run(cmd.Context(), std)
}
