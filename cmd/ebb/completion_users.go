package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// mostUsers bounds the file of a machine's users, in bytes.
const mostUsers = 1 << 20

// usersOf proposes the users that a file has in passwd(5)'s format. Users of a directory service,
// of which there can be any number, are typed.
func usersOf(file string) command.Completer {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		text, _ := safefile.ReadAll(file, mostUsers) // none are proposed without it
		var out []string
		for line := range strings.Lines(string(text)) {
			name, _, ok := strings.Cut(line, ":")
			if ok && name != "" && !strings.ContainsAny(name[:1], "#+-") {
				out = append(out, name)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
