package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	benchhost "github.com/ebb-energy/ebb/internal/app/bench/host"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/rapl"
)

// absent is a requirement of a step that the machine does not meet.
type absent struct {
	absence qualify.Absence
	err     error
}

func (a *absent) Error() string { return a.err.Error() }
func (a *absent) Unwrap() error { return a.err }

func lacks(a qualify.Absence, format string, args ...any) error {
	return &absent{a, fmt.Errorf(format, args...)}
}

// kind returns the kind of an absence, by its error.
func kind(err error) qualify.Absence {
	var is *absent
	if errors.As(err, &is) {
		return is.absence
	}
	for _, e := range []error{rapl.ErrNone, cpufreq.ErrNone, perfevent.ErrNoMemory,
		benchhost.ErrNoControl,
		perfevent.ErrNotSupported, inventory.ErrNone, inventory.ErrNotDischarging,
		inventory.ErrNoBattery, cgroup.ErrNoHierarchy, cgroup.ErrNoController, fs.ErrNotExist} {
		if errors.Is(err, e) {
			return qualify.NotSupported
		}
	}
	for _, e := range []error{rapl.ErrPermission, perfevent.ErrMemoryPermission,
		perfevent.ErrMemoryShared,
		perfevent.ErrPermission, perfevent.ErrNoCounter, cpufreq.ErrLocked,
		cgroup.ErrNotGiven, cgroup.ErrInUse, fs.ErrPermission} {
		if errors.Is(err, e) {
			return qualify.Refused
		}
	}
	return qualify.Unknown
}

// miss notes that a part of a step is absent.
func miss(s *qualify.Step, what string, err error) {
	s.Missing = append(s.Missing,
		qualify.Missing{What: what, Absence: kind(err), Because: err.Error()})
}

// private returns the words that a result must not have, with their replacements.
func private(self, dir string) map[string]string {
	words := map[string]string{dir: "DIRECTORY", self: "ebb", filepath.Dir(self): "BIN"}
	if name := inventory.Name(); name != "" && name != "localhost" {
		words[name] = "HOST"
	}
	for _, name := range []string{os.Getenv("SUDO_USER"), os.Getenv("USER")} {
		if name != "" && name != "root" {
			words[name] = "USER"
		}
	}
	if home, err := os.UserHomeDir(); err == nil && home != "/" {
		words[home] = "HOME"
	}
	if u, err := user.Lookup(os.Getenv("SUDO_USER")); err == nil && u.HomeDir != "/" {
		words[u.HomeDir] = "HOME"
	}
	return words
}
