package command

import (
	"os"
	"strings"
)

// hid reports whether entry hid variables of the environment from Go's runtime: GODEBUG, GOGC and
// GOMEMLIMIT, of which the runtime takes some values for a reason to end the process with a trace.
var hid bool

// hidden is what entry puts in place of the first letter of their names.
const hidden = "\x01"

// init gives the variables their names back: they are the command's. Of GODEBUG Go's library sees
// from here on what it asks for anew; what the runtime reads at its start it has not seen.
func init() {
	if !hid {
		return
	}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if rest, ok := strings.CutPrefix(name, hidden+"O"); ok {
			_ = os.Unsetenv(name)           // they are names that were in the environment
			_ = os.Setenv("GO"+rest, value) // as is this
		}
	}
}
