package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// loadAll reads the tenants of a directory's files and of units' own files.
func loadAll(dir string, warn func(format string, args ...any)) (config.Tenants, error) {
	all, err := load(dir)
	if err == nil {
		err = addUnits(&all, warn)
	}
	if err == nil && len(all.Tenants) > 0 {
		err = all.Validate()
	}
	return all, err
}

// addUnits adds the units whose files have a budget in a section [X-Ebb]. Systemd runs as root what
// these files say, so they are root's; one that is not is left alone, and warn says so.
func addUnits(all *config.Tenants, warn func(format string, args ...any)) error {
	found, err := cgroup.Units()
	if err != nil {
		return fmt.Errorf("tenants: %w", err)
	}
	for _, u := range found {
		var w config.Wish
		for _, path := range u.Files {
			err := wishOf(&w, path)
			if errors.Is(err, errOthers) {
				warn("warning: unit %s: %v: a section [X-Ebb] there does not count", u.Unit, err)
			} else if err != nil {
				return fmt.Errorf("unit %s: %w", u.Unit, err)
			}
		}
		if err := all.AddUnit(u.Unit, w); err != nil {
			return err
		}
	}
	return nil
}

// wishOf takes what a file of a unit says. A link to it is followed, as systemd follows it. A file
// that has been removed since systemd read it says nothing, nor does a link to a device.
func wishOf(w *config.Wish, path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		var i fs.FileInfo
		if i, err = os.Lstat(real); err == nil && !i.Mode().IsRegular() {
			return nil
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := safefile.OpenRegular(real)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading: nothing can be lost
	if err := own(f, path); err != nil {
		return err
	}
	return w.DecodeUnit(f, path)
}
