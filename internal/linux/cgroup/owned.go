package cgroup

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Beneath opens a cgroup by its path in the hierarchy alone, which another user may have named: the
// kernel follows no link, crosses no mount and does not go upwards. A cgroup opened so shows its
// owner, and its entries cannot be listed.
func Beneath(path string) (*Cgroup, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	top, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the hierarchy of cgroups: %w", err)
	}
	defer unix.Close(top)
	fd, err := unix.Openat2(top, "."+path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS |
			unix.RESOLVE_NO_XDEV})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	c := &Cgroup{dir: os.NewFile(uintptr(fd), root+path)}
	if err := c.identify(root); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Owned reports whether a user may move processes into the cgroup and make others below it: its
// directory and its cgroup.procs are the user's. Such a user may freeze or kill all that is in it,
// whoever's it is. Root owns every cgroup; nobody owns one that has been removed.
func (c *Cgroup) Owned(user uint32) bool {
	var dir, procs unix.Stat_t
	if unix.Fstat(c.FD(), &dir) != nil ||
		unix.Fstatat(c.FD(), "cgroup.procs", &procs, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	return user == 0 || dir.Uid == user && procs.Uid == user
}

// Has reports whether a cgroup is this one or lies in it, by its path in the hierarchy.
func (c *Cgroup) Has(name string) bool { return Within(name, c.Name) }

// Within reports whether the path name in the hierarchy is the path of, or lies in it.
func Within(name, of string) bool {
	return name == of || strings.HasPrefix(name, strings.TrimSuffix(of, "/")+"/")
}

// Own returns the path of this process's cgroup of version 2; "" where it cannot be seen.
func Own() string {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/"); ok {
			return "/" + path
		}
	}
	return ""
}
