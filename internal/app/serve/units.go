package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// loadAll reads the tenants of a directory's files and of unit files. A mistake in them is a usage
// error. Where systemd does not say which files units have, the error is not one of usage: systemd
// may say so later.
func loadAll(dir string, warn func(format string, args ...any)) (config.Tenants, error) {
	units, err := cgroup.Units()
	if err != nil {
		return config.Tenants{}, fmt.Errorf("tenants: %w", err)
	}
	all, err := load(dir)
	if err == nil {
		err = addUnits(&all, units, warn)
	}
	if err == nil && len(all.Tenants) > 0 {
		err = all.Validate()
	}
	if err != nil {
		return all, command.UsageError(err)
	}
	return all, nil
}

// addUnits adds the units whose files have a budget in a section [X-Ebb]. Root does what these
// files say, so nobody else may be able to write them. A file that others can write, or that cannot
// be read, does not count, and warn reports it: only root can keep the service from starting.
func addUnits(
	all *config.Tenants, units []cgroup.UnitFiles, warn func(format string, args ...any),
) error {
	var left []string // why files do not count
	for _, u := range units {
		var w config.Wish
		for _, path := range u.Files {
			f, err := openUnit(path)
			if err != nil {
				left = append(left, fmt.Sprintf("unit %s: %v", u.Unit, err))
			}
			if f == nil {
				continue
			}
			err = w.DecodeUnit(f, path)
			f.Close() // opened for reading: nothing can be lost
			if err != nil {
				return fmt.Errorf("unit %s: %w", u.Unit, err)
			}
		}
		err := all.AddUnit(u.Unit, w)
		switch {
		case errors.Is(err, config.ErrUnitName):
			warn("warning: %v", err)
		case err != nil:
			return err
		}
	}
	if n := len(left); n > mostLeft {
		left = append(left[:mostLeft], fmt.Sprintf("%d more", n-mostLeft))
	}
	if len(left) > 0 {
		warn("warning: a section [X-Ebb] in these files does not count: %s",
			strings.Join(left, "; "))
	}
	return nil
}

// mostLeft bounds the files that a warning names.
const mostLeft = 5

// openUnit opens a unit's file, to which nobody but root leads. It is nil for one that has been
// removed since systemd read it, and for a link to a device, by which a unit is masked.
func openUnit(path string) (*os.File, error) {
	f, err := safefile.OpenRoots(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, safefile.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := own(f, path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
