package main

import (
	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/serve"
	"github.com/ebb-energy/ebb/internal/command"
)

func newServe(std command.Stdio) *cobra.Command {
	return serveCommand(&runSettings{Settings: run.NewSettings()}, std)
}

// serveCommand returns the command serve, whose flags set s.
func serveCommand(s *runSettings, std command.Stdio) *cobra.Command {
	dir := serve.Directory
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "govern a machine's services, as a service",
		Long: `Governs the tenants in the files *.toml of a directory, and the units whose own
files have a budget in a section [X-Ebb], each by a budget of its own, as
ebb run --tenants does, but without an end and without a report. SIGHUP has all
these files read again: all of them are checked, then the set is changed at the
end of a quantum, or the old one stays and one sentence says why. At SIGTERM and
SIGINT ebb puts the clocks back and ends with status 0.

It reports to systemd when it is ready and feeds its watchdog (sd_notify(3)). It
also works without systemd. While there is no tenant it governs nothing and sets
no clock. ebb status and other programs ask it on the socket ebb.sock in its run
directory. Root and members of the group ebb may ask for everything; others get
one word.`,
		Example: `  # With the package's unit
  sudo systemctl enable --now ebb

  # By hand; write nothing to the machine
  sudo ebb serve --shadow

  # The same with other files, which are root's as well
  sudo ebb serve --shadow --tenants-dir /etc/ebb/trial.d`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd); err != nil {
				return err
			}
			return serve.Execute(cmd.Context(), &s.Settings, dir, std)
		},
	}
	f := cmd.Flags()
	f.StringVar(&dir, "tenants-dir", dir,
		"read the tenants from the files *.toml of this `DIRECTORY`, beside those of units' own "+
			"files")
	_ = cmd.MarkFlagDirname("tenants-dir") // fails only for flags that do not exist
	f.StringVar(&s.configFile, "config", "",
		"read the other settings from this TOML `FILE`; flags override them")
	command.Of(cmd, "config").Proposes(command.Files("toml"))
	f.BoolVar(&s.Shadow, "shadow", s.Shadow,
		"predict, decide and account, but write nothing to the machine")
	f.DurationVar(&s.Quantum, "quantum", s.Quantum,
		"decision interval (0: 5ms, or longer where the clock settles slowly)")
	f.BoolVar(&s.Takeover, "takeover", false,
		"set frequencies even if another program, such as power-profiles-daemon, also does")
	command.Of(cmd, "takeover").Beside("which sets no frequency", "shadow")
	f.StringVar(&s.MetricsListen, "metrics-listen", "",
		"let every local user read metrics at this loopback `ADDRESS`, such as 127.0.0.1:9323 "+
			"(default: nobody but root and group ebb, on the socket)")
	command.Of(cmd, "metrics-listen").NoDefault()
	f.Var(&s.Allow.Users, "allow-users",
		"let these `USERS` take leases with ebb join, names or numbers with commas between them "+
			"(default: root alone)")
	command.Of(cmd, "allow-users").NoDefault()
	f.Var(&s.Allow.Budgets, "allow-budgets",
		"the range of their budgets, such as 1%..10% (default: any)")
	command.Of(cmd, "allow-budgets").NoDefault()
	f.Var(&s.Allow.Agents, "allow-agents", "let ebb-agent, which runs as one of these `USERS`, "+
		"take leases for pods of --allow-namespaces (default: nobody)")
	command.Of(cmd, "allow-agents").NoDefault()
	f.Var(&s.Allow.Namespaces, "allow-namespaces", "the `NAMESPACES` of Kubernetes whose pods may "+
		"have a budget, with commas between them (default: none)")
	command.Of(cmd, "allow-namespaces").NoDefault()
	f.BoolVarP(&s.Quiet, "quiet", "q", false, "write only what goes wrong")
	f.StringVar(&s.Roots.Sysfs, "sysfs", "/sys", "`ROOT` of the machine's attributes")
	f.StringVar(&s.Roots.Proc, "procfs", "/proc",
		"`ROOT` of the machine's processes, searched for other governors")
	f.StringVar(&s.Roots.RunDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the snapshot of the machine's settings, and of the socket")
	return cmd
}
