package main

import (
	"encoding/json"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/serve"
	"github.com/ebb-energy/ebb/internal/app/serve/status"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func newStatus(std command.Stdio) *cobra.Command {
	var runDir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "show what ebb serve does, and each tenant",
		Long: `Asks the ebb serve of this machine, once, and shows each tenant, how much of its
budget it used in the last 10 s and 5 min, the clock, the tenant that asked for
it, and the power by the meters. Of a tenant without a budget it shows the
slowdown. It is for root and members of the group ebb.`,
		Example: `  sudo ebb status

  # For a program: the answers, with the names of their fields
  sudo ebb status --json`,
		Args: command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := status.Connect(cmd.Context(), filepath.Join(runDir, serve.SocketName))
			if err != nil {
				return err
			}
			defer c.Close() // nothing is written that could be lost
			s, err := c.Ask(cmd.Context())
			if err != nil {
				return err
			}
			if !asJSON {
				return s.Show(std.Out, status.Width)
			}
			e := json.NewEncoder(printable.JSON(std.Out))
			e.SetIndent("", "  ")
			return e.Encode(&s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the service's socket")
	_ = cmd.MarkFlagDirname("run-dir") // fails only for flags that do not exist
	return cmd
}
