package live

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// Identity is a user that a command is run as.
type Identity struct {
	Name     string // the user's, for messages
	UID, GID uint32
	Groups   []uint32          // supplementary; none are kept of ebb's own
	Set      map[string]string // environment variables that are set; the rest are ebb's own
	Unset    []string          // environment variables that the command does not get
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

// Environ is the environment of the user's commands; ebb's own for ebb's own user.
func (id *Identity) Environ() []string {
	if id == nil {
		return os.Environ()
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, set := id.Set[name]
		return set || slices.Contains(id.Unset, name)
	})
	for name, value := range id.Set {
		env = append(env, name+"="+value)
	}
	return env
}
