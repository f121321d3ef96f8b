package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

// services proposes the units of the system that run, by their cgroups.
func services(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, slice := range []string{"", "unified/"} {
		// Glob fails only for a bad pattern.
		found, _ := filepath.Glob("/sys/fs/cgroup/" + slice + "system.slice/*.service")
		for _, dir := range found {
			out = append(out, filepath.Base(dir))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
