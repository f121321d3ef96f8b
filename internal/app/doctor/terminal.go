package doctor

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// examineTerminal says whether a program may type into the terminal that it shares with others.
// That is no fault of the machine for ebb, which has the kernel refuse it to another user's
// command.
func examineTerminal(file string) Finding {
	const setting = "dev.tty.legacy_tiocsti"
	f := Finding{What: "terminal", State: Good}
	value, err := os.ReadFile(file)
	switch on := strings.TrimSpace(string(value)) != "0"; {
	case errors.Is(err, fs.ErrNotExist):
		f.Detail = "this kernel lets programs type into their terminal (it has no " + setting +
			"); ebb refuses it to a command of another user"
	case err != nil:
		f.State, f.Detail = Warning, err.Error()
	case on:
		f.Detail = "programs may type into their terminal, sysctl " + setting +
			"=0 refuses it; ebb refuses it to a command of another user"
	default:
		f.Detail = "no program types into its terminal (" + setting + "=0)"
	}
	return f
}
