package live

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// Identity is a user that a command is run as.
type Identity struct {
	Name     string // the user's, for messages
	UID, GID uint32
	Groups   []uint32          // supplementary; none are kept of ebb's own
	Set      map[string]string // environment variables that are set; the rest are ebb's own
	Unset    []string          // environment variables that the command does not get
	// Alone: root named the user, who did not call ebb. Of ebb's environment the user's commands
	// get Keep, what describes the terminal, and what ebb itself has set since Before; and they get
	// no new privileges.
	Alone  bool
	Keep   []string
	Before []string
}

// RunAs has Launch run the command as another user, nil as ebb's own. It takes root.
func (h *Host) RunAs(id *Identity) { h.target.identity = id }

// apply changes how a process is started.
func (id *Identity) apply(attr *os.ProcAttr) {
	if id == nil {
		return
	}
	attr.Sys = &syscall.SysProcAttr{Credential: id.Credential()}
	attr.Env = id.Environ()
}

// Credential has the kernel start a process as the user; nil for ebb's own.
func (id *Identity) Credential() *syscall.Credential {
	if id == nil {
		return nil
	}
	return &syscall.Credential{Uid: id.UID, Gid: id.GID, Groups: id.Groups}
}

// Within calls start on a thread whose commands are the user's: what they may not do, they inherit.
// For ebb's own user it calls start.
func (id *Identity) Within(start func() error) error {
	if id == nil {
		return start()
	}
	return proc.StartConfined(id.Limits(), start)
}

// Limits are the user's commands'.
func (id *Identity) Limits() proc.Confinement {
	return proc.Confinement{NoNewPrivileges: id.Alone}
}

// Gets reports whether the user's commands get a variable of ebb's environment, as name=value.
func (id *Identity) Gets(variable string) bool {
	if id == nil {
		return true
	}
	name, _, _ := strings.Cut(variable, "=")
	if _, set := id.Set[name]; set || slices.Contains(id.Unset, name) {
		return false
	}
	return !id.Alone || slices.Contains(described, name) || strings.HasPrefix(name, "LC_") ||
		slices.Contains(id.Keep, name) || !slices.Contains(id.Before, variable)
}

// described are the variables that say where programs, and what the terminal and the language are.
var described = []string{"PATH", "TERM", "LANG"}

// Environ is the environment of the user's commands; ebb's own for ebb's own user.
func (id *Identity) Environ() []string {
	if id == nil {
		return os.Environ()
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return !id.Gets(v) })
	for name, value := range id.Set {
		env = append(env, name+"="+value)
	}
	return env
}
