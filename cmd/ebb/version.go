package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
)

func newVersion(std command.Stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  command.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(std.Out, versionLine())
			return err
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("ebb %s (%s, %s/%s)", command.Version(), runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
}
