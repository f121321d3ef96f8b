package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// openTenants finds the places of the tenants.
func (s *Settings) openTenants() (*several, error) {
	all := &several{file: filepath.Base(s.Tenants.File)}
	return all, all.locateAll(s.Tenants.Tenants.Tenants)
}

// locateAll finds the places of a list of tenants.
func (s *several) locateAll(list []config.Tenant) error {
	whose := map[live.Location]string{}
	for i := range list {
		t := &list[i]
		place, err := s.locate(t)
		if err != nil {
			return tenantError(t.Name, err)
		}
		if other := whose[place]; other != "" { // the file's check takes their names for two places
			return command.Usagef("tenants %s and %s both have %s: its threads can be one's "+
				"only", other, t.Name, place.Dir)
		}
		whose[place] = t.Name
		s.names, s.locations = append(s.names, t.Name), append(s.locations, place)
	}
	for i, p := range s.locations {
		for _, above := range ancestors(p.PID) {
			if other := whose[live.Location{PID: above}]; other != "" {
				return command.Usagef("tenant %s: process %d descends from process %d, which "+
					"is tenant %s: its threads can be one's only", s.names[i], p.PID, above,
					other)
			}
		}
	}
	return nil
}

// locate finds the place where a tenant is, or will be.
func (s *several) locate(t *config.Tenant) (p live.Location, err error) {
	guessed := ""
	switch {
	case t.PID != 0:
		if err := absent(t.PID); err != nil { // before any clock is set
			return p, fmt.Errorf("process %d: %w", t.PID, err)
		}
		if t.PID == os.Getpid() || slices.Contains(ancestors(os.Getpid()), t.PID) {
			return p, fmt.Errorf("process %d: ebb itself is in it, or descends from it, and "+
				"cannot govern itself", t.PID)
		}
		return live.Location{PID: t.PID}, nil
	case t.Unit != "":
		p.Dir, guessed, err = cgroup.UnitDirectory(t.Unit)
	default:
		p.Dir, err = cgroup.Directory(t.Cgroup)
	}
	if err != nil {
		return p, err
	}
	pids, err := processesIn(p.Dir)
	switch {
	case err != nil:
		return p, err
	case slices.Contains(pids, os.Getpid()):
		return p, fmt.Errorf("ebb itself runs in %s and cannot govern itself: start it from "+
			"elsewhere, as by sudo systemd-run --scope ebb", p.Dir)
	case len(pids) == 0:
		s.waits = append(s.waits, t.Name)
	}
	if guessed != "" { // the place stands first, because a terminal's line has room for it
		root, _ := cgroup.Root() // Place has found it
		s.guess = append(s.guess, fmt.Sprintf("tenant %s is looked for at %s: %s", t.Name,
			filepath.Join("/", strings.TrimPrefix(p.Dir, root)), guessed))
	}
	return p, nil
}

// absent returns an error for an id that is no running process's.
func absent(pid int) error {
	switch of := cgroup.ProcessOf(pid); {
	case unix.Kill(pid, 0) == unix.ESRCH:
		return bpf.ErrNoProcess
	case of != 0 && of != pid:
		return fmt.Errorf("%w: it is a thread of process %d", bpf.ErrNoProcess, of)
	case ended(pid):
		return fmt.Errorf("%w: it has ended, and its parent has not taken its status yet",
			bpf.ErrNoProcess)
	}
	return nil
}

// ended reports whether nothing but the status of a process is left.
func ended(pid int) bool {
	stat, err := proc.ReadStat(pid)
	if err != nil || !stat.Ended() {
		return false
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid)) // its first alone may have ended
	return err == nil && len(threads) <= 1
}

// processesIn returns the processes in a cgroup, which need not exist.
func processesIn(dir string) ([]int, error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) { // thousands may not exist
		return nil, nil
	}
	c, err := cgroup.Open(dir)
	if errors.Is(err, cgroup.ErrNoCgroup) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer c.Close() // opened for reading: nothing can be lost
	return c.Processes()
}

// tenantError adds the tenant's name. The user can correct the error, except where ebb may not or
// cannot act.
func tenantError(name string, err error) error {
	err = fmt.Errorf("tenant %s: %w", name, err)
	if errors.Is(err, cgroup.ErrNoHierarchy) || errors.Is(err, fs.ErrPermission) ||
		errors.Is(err, bpf.ErrPermission) {
		return err
	}
	return command.UsageError(err)
}
