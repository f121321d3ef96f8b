package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/serve"
	"github.com/ebb-energy/ebb/internal/command"
)

func newJoin(std command.Stdio) *cobra.Command {
	c := serve.Leased{Slowdown: config.Default().Slowdown}
	var runDir string
	var user uint32
	cmd := &cobra.Command{
		Use:   "join [flags] [-- command [args...]]",
		Short: "make a command, or a cgroup, a tenant of ebb serve",
		Long: `Takes a lease from the ebb serve of this machine and runs the command: the
command and what it starts are a tenant with a budget of its own until it ends.
It needs no root. Root allows users in /etc/ebb/ebb.toml, by users = "alice" in
the section [allow], and restarts the service. A process that gets another
user's rights, as by sudo, leaves the tenant. If ebb join is killed, the command
runs on and is no tenant any more.

With --cgroup the tenant is a cgroup (version 2) that the user owns, with all
that is in it or below it, and the command is not, unless it is there. Without a
command ebb join then waits until Ctrl-C or SIGTERM, and its status is 0, or 1
if the lease ends before.

Root can take a lease for another user, by --for. The service gives it only if
that user may have this budget, and counts it among that user's 16.

The exit status is the command's. Without a lease the command does not run, one
sentence says why, and the status is 1; with --or-run it runs all the same.`,
		Example: `  ebb join --slowdown 5% -- make -j8

  # In the crontab of an allowed user; without a service it runs too
  0 3 * * * ebb join --or-run --slowdown 10% -- backup

  # A user's own unit, until Ctrl-C
  ebb join --slowdown 5% --cgroup \
    /user.slice/user-1000.slice/user@1000.service/app.slice/build.service

  # As root, for a job of user 1000's
  ebb join --for 1000 --slowdown 5% --cgroup /system.slice/job.service`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return nil
			case c.Cgroup == "":
				return command.Usagef("which command? write it behind --")
			case c.OrRun:
				return command.Usagef("--or-run: which command? write it behind --")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Argv, c.Socket = args, filepath.Join(runDir, serve.SocketName)
			if cmd.Flags().Changed("for") {
				c.For = &user
			}
			return c.Run(cmd.Context(), std)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.Var(&c.Slowdown, "slowdown", "the budget: the extra time that the command, or the cgroup's "+
		"programs, may take")
	f.StringVar(&c.Cgroup, "cgroup", "",
		"take the lease for this cgroup of version 2, its `PATH` in the hierarchy or its directory")
	_ = cmd.MarkFlagDirname("cgroup") // as run-dir
	f.Uint32Var(&user, "for", 0,
		"as root: take the lease for the user with this `NUMBER`, whose rights and leases count")
	f.BoolVar(&c.OrRun, "or-run", false,
		"run the command also where there is no lease, and say why there is none")
	f.StringVar(&runDir, "run-dir", cpufreq.DefaultRunDir, "`DIRECTORY` of the service's socket")
	_ = cmd.MarkFlagDirname("run-dir") // fails only for flags that do not exist
	return cmd
}
