package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// Directory is the default directory of the files with a service's tenants.
const Directory = "/etc/ebb/tenants.d"

// maxFiles bounds the files of a directory, since each has at least one tenant.
const maxFiles = config.MaxTenants

// load reads the files of a directory whose names end in .toml, in the order of their names. A
// missing directory has no tenants. Root does what the files say, so nobody else may be able to
// write them.
func load(dir string) (all config.Tenants, err error) {
	all.Rest = config.RestHighest
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real // root chose the directory; links in it are not followed
	}
	names, err := list(dir)
	if err != nil {
		return all, fmt.Errorf("tenants: %w", err)
	}
	from, rest := map[string]string{}, ""
	for _, name := range names {
		path := filepath.Join(dir, name)
		t, err := loadFile(path)
		if err != nil {
			return all, err
		}
		for i := range t.Tenants {
			one := &t.Tenants[i]
			if one.PID != 0 {
				return all, fmt.Errorf("tenants %s: tenant %s: a service takes no pid, which is "+
					"another program's after a restart: name a unit or a cgroup", path, one.Name)
			}
			if other := from[one.Name]; other != "" {
				return all, fmt.Errorf("tenants %s: tenant %s: %s has one of that name", path,
					one.Name, other)
			}
			from[one.Name] = name
		}
		if t.Rest != "" {
			if rest != "" && all.Rest != t.Rest {
				return all, fmt.Errorf("tenants %s: machine.rest is %q, in %s %q", path, t.Rest,
					rest, all.Rest)
			}
			all.Rest, rest = t.Rest, name
		}
		all.Tenants = append(all.Tenants, t.Tenants...)
	}
	if len(all.Tenants) == 0 {
		return all, nil
	}
	if err := all.Validate(); err != nil {
		return all, fmt.Errorf("tenants %s: %w", dir, err)
	}
	return all, nil
}

// list returns the names of the directory's files that end in .toml, sorted.
func list(dir string) (names []string, err error) {
	d, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY, 0) // waits for no pipe's writer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close() // opened for reading: nothing can be lost
	if err := own(d, dir); err != nil {
		return nil, err
	}
	entries, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	slices.Sort(entries)
	for _, name := range entries {
		if strings.HasSuffix(name, ".toml") && name[0] != '.' {
			names = append(names, name)
		}
	}
	if len(names) > maxFiles {
		return nil, fmt.Errorf("%s: %d files, more than %d", dir, len(names), maxFiles)
	}
	return names, nil
}

func loadFile(path string) (t config.Tenants, err error) {
	i, err := os.Lstat(path)
	if err != nil {
		return t, fmt.Errorf("tenants: %w", err)
	}
	if !i.Mode().IsRegular() { // so that no link is followed and no pipe waited for
		return t, fmt.Errorf("tenants %s: it is no regular file", path)
	}
	f, err := safefile.OpenRegular(path)
	if err != nil {
		return t, fmt.Errorf("tenants: %w", err)
	}
	defer f.Close() // opened for reading: nothing can be lost
	if err := own(f, path); err != nil {
		return t, fmt.Errorf("tenants: %w", err)
	}
	return config.DecodePart(f, path)
}

// errOthers completes the message that another user may write what root does.
var errOthers = errors.New(", and ebb does what it says")

// own returns an error for a file or directory that another user than root and ebb's own may write.
func own(f *os.File, path string) error {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return &fs.PathError{Op: "look at", Path: path, Err: err}
	}
	switch {
	case stat.Uid != 0 && int(stat.Uid) != os.Geteuid():
		return fmt.Errorf("%s is user %d's%w: give it to root", path, stat.Uid, errOthers)
	case stat.Mode&0o022 != 0:
		return fmt.Errorf("%s may be written by others (%04o)%w: chmod go-w", path,
			stat.Mode&0o7777, errOthers)
	}
	return nil
}
