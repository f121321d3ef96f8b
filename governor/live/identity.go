package live

import (
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// Identity is the user as whom a command is run.
type Identity struct {
	Name     string // name of the user, for messages
	UID, GID uint32
	Groups   []uint32          // supplementary groups; ebb's own are dropped
	Set      map[string]string // environment variables to set; the others are ebb's own
	Unset    []string          // environment variables that the command does not get
	// Alone says that root named the user, who did not call ebb. The user's commands then get no
	// new privileges and no keys of the session's. Of ebb's environment they get Keep, what
	// describes the terminal, and what ebb itself has set since Before.
	Alone  bool
	Keep   []string
	Before []string
}

// RunAs sets the user as whom Launch runs the command; nil: ebb's own. It requires root.
func (h *Host) RunAs(id *Identity) { h.target.identity = id }

// apply sets the user and the environment of a process to start.
func (id *Identity) apply(attr *os.ProcAttr) {
	if id == nil {
		return
	}
	attr.Sys = &syscall.SysProcAttr{Credential: id.Credential()}
	attr.Env = id.Environ()
}

// Credential returns the credential with which the kernel starts a process as the user; nil for
// ebb's own.
func (id *Identity) Credential() *syscall.Credential {
	if id == nil {
		return nil
	}
	return &syscall.Credential{Uid: id.UID, Gid: id.GID, Groups: id.Groups}
}

// Within calls start on a thread that has the limits of the user's commands, so that they inherit
// these. For ebb's own user it only calls start.
func (id *Identity) Within(start func() error) error {
	if id == nil {
		return start()
	}
	return proc.StartConfined(id.Limits(), start)
}

// Limits returns the limits of the user's commands.
func (id *Identity) Limits() proc.Confinement {
	return proc.Confinement{NoNewPrivileges: id.Alone, OwnKeys: id.Alone}
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

// described lists the variables that name where programs are, the terminal and the language.
var described = []string{"PATH", "TERM", "LANG"}

// Environ returns the environment of the user's commands; ebb's own for ebb's own user.
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
