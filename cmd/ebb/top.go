package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/serve"
	"github.com/ebb-energy/ebb/internal/app/serve/status"
	"github.com/ebb-energy/ebb/internal/command"
)

func newTop(command.Stdio) *cobra.Command {
	var runDir string
	cmd := &cobra.Command{
		Use:   "top",
		Short: "watch what ebb serve does",
		Long: `Shows on a terminal what ebb status shows, anew each second. The tenant that has
used most of its budget comes first. The arrow keys, Page Up and Page Down
scroll, and q ends it. It ends when the service does. It is for root and members
of the group ebb.`,
		Example: `  sudo ebb top`,
		Args:    command.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := status.Connect(cmd.Context(), filepath.Join(runDir, serve.SocketName))
			if err != nil {
				return err
			}
			defer c.Close() // nothing is written that could be lost
			t, err := status.NewTop(c)
			if err != nil {
				return command.Usagef("%w (ebb status prints it once)", err)
			}
			return t.Run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&runDir, "run-dir", cpufreq.DefaultRunDir,
		"`DIRECTORY` of the service's socket")
	_ = cmd.MarkFlagDirname("run-dir") // fails only for flags that do not exist
	return cmd
}
