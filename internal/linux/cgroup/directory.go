package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Directory returns the directory of a cgroup by one of the names that Open takes. For a cgroup
// that is not there yet, it is the place that it will have by that name.
func Directory(name string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	c, err := open(root, name)
	if err == nil {
		return c.below(root, name)
	}
	if !errors.Is(err, ErrNoCgroup) {
		return "", err
	}
	below := filepath.Join(root, filepath.Clean("/"+name))
	for _, file := range []string{below, name} {
		if _, is := os.Lstat(file); is == nil && filepath.IsAbs(file) {
			return "", err // something is there, and it is no cgroup of version 2
		}
	}
	switch clean := filepath.Clean(name); {
	case strings.HasPrefix(clean, root+"/"):
		return clean, nil
	case strings.HasPrefix(clean, "/sys/"):
		return "", fmt.Errorf("%w: %s is not in the hierarchy of version 2 at %s", ErrNoCgroup,
			clean, root)
	}
	return below, nil
}

// below returns the directory of a cgroup below the root, by which it is looked for. It closes the
// cgroup.
func (c *Cgroup) below(root, name string) (string, error) {
	defer c.Close() // opened for reading: nothing can be lost
	dir := filepath.Join(root, c.Name)
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil || stat.Ino != c.ID { // it may be in another mount
		return "", fmt.Errorf("%w: %s is not below %s: give its path there", ErrNoCgroup, name,
			root)
	}
	return dir, nil
}

// UnitDirectory returns the directory where a unit's cgroup is, or where systemd will make it. For
// a unit that systemd does not know, or about which it cannot be asked, that is the place of a
// system service, and guessed says why: a cgroup of that name elsewhere may be anybody's.
func UnitDirectory(name string) (dir, guessed string, err error) {
	if name, err = unitName(name); err != nil {
		return "", "", err
	}
	root, err := Root()
	if err != nil {
		return "", "", err
	}
	state, asked := ask(name)
	switch {
	case asked == nil && state.path != "":
		return filepath.Join(root, state.path), "", nil
	case asked == nil && state.load != "not-found" && state.slice != "":
		return filepath.Join(root, slicePath(state.slice), name), "", nil
	case asked == nil:
		guessed = "systemd does not know it"
	default:
		guessed = "systemd cannot be asked"
	}
	return filepath.Join(root, "system.slice", name), guessed, nil
}

// slicePath returns the path of a slice's cgroup (systemd.slice(5)): a-b.slice is in a.slice.
func slicePath(slice string) string {
	stem := strings.TrimSuffix(slice, ".slice")
	if stem == "-" {
		return "/"
	}
	at := "/"
	for i := range stem {
		if i > 0 && stem[i] == '-' {
			at = filepath.Join(at, stem[:i]+".slice")
		}
	}
	return filepath.Join(at, slice)
}

func severalUnits(found []string) error {
	return fmt.Errorf("several units have the name; give the path of one as a cgroup: %s",
		strings.Join(found, ", "))
}
