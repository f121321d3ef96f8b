package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// UserFlags adds the flags of all commands that run a program as a user (run.Identity).
func UserFlags(cmd *cobra.Command, name *string, keep *[]string) {
	cmd.Flags().StringVar(name, "user", "",
		"run the command as this user, by `NAME` or number (default: who called sudo)")
	Of(cmd, "user").Proposes(usersOf("/etc/passwd"))
	cmd.Flags().StringSliceVar(keep, "keep-env", nil,
		"with --user: give the command also these `VARIABLES` of ebb's environment, beside PATH, "+
			"TERM, LANG and LC_*")
}

// MeterFlags sets the rules of --hwmon and --meter-csv.
func MeterFlags(cmd *cobra.Command) {
	Of(cmd, "hwmon").Either("meter-csv", "meter").Proposes(cobra.NoFileCompletions)
	Of(cmd, "meter-csv").Proposes(Files("csv"))
}

// mostUsers bounds the file of a machine's users, in bytes.
const mostUsers = 1 << 20

// usersOf proposes the users that a file has in passwd(5)'s format. Users of a directory service,
// of which there can be any number, are typed.
func usersOf(file string) Completer {
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
