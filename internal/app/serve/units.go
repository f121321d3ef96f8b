package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

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
	real, err := rootsPath(path)
	var i fs.FileInfo
	if err == nil {
		i, err = os.Lstat(real)
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && !i.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := safefile.OpenRegular(real)
	if errors.Is(err, fs.ErrNotExist) {
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

// mostLinks bounds the links on the way to a file, as in the kernel.
const mostLinks = 40

// rootsPath resolves the links in a path. All its directories and links must be root's, so that
// nobody else can redirect it. The path is absolute, as systemd's are.
func rootsPath(path string) (string, error) {
	done, links := "/", 0
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		next := filepath.Join(done, part)
		i, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		if err := rootsOwn(i, next); err != nil {
			return "", err
		}
		if i.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", fmt.Errorf("%s: %w", path, unix.ELOOP)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			done = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return done, nil
}

// rootsOwn returns an error for a part of a path that another user than root and ebb's own can
// replace.
func rootsOwn(i fs.FileInfo, path string) error {
	stat, ok := i.Sys().(*syscall.Stat_t)
	switch {
	case !ok || stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s is another user's", path)
	case i.IsDir() && i.Mode()&0o022 != 0 && i.Mode()&fs.ModeSticky == 0:
		return fmt.Errorf("%s may be written by others", path)
	}
	return nil
}
