// Package cgroup finds cgroups of version 2 (Documentation/admin-guide/cgroup-v2.rst in the
// kernel), by path or as a systemd unit's, and lists their members. A Lookout reports those that
// are made, emptied and removed. A Hierarchy, of version 1 or 2, is the one in which a machine's
// programs are put apart; it has a cgroup's path by the kernel's number of it. The one cgroup that
// the package makes is a Quota, whose members get a part of one CPU's time; it changes none that
// was there.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Errors of Open and Unit. They come wrapped.
var (
	// ErrNoHierarchy says that no hierarchy of version 2 is mounted.
	ErrNoHierarchy = errors.New("no cgroup v2 hierarchy is mounted on this machine")
	// ErrNoCgroup says that a path is no cgroup's.
	ErrNoCgroup = errors.New("not a cgroup")
	// ErrNoUnit says that systemd knows no unit of that name.
	ErrNoUnit = errors.New("there is no such unit")
	// ErrNotRunning says that a unit, or a cgroup, has no processes.
	ErrNotRunning = errors.New("no process is in it")
)

// Cgroup is one cgroup and all below it.
type Cgroup struct {
	// Name is the cgroup's path in the hierarchy, as /proc/PID/cgroup has it.
	Name string
	// ID is the kernel's number of the cgroup, which no other cgroup had or will have.
	ID uint64

	dir *os.File
}

// Open opens a cgroup by its directory, or by its path below the root of the hierarchy: both
// /sys/fs/cgroup/system.slice and system.slice. A link must lead to a cgroup as well. Where both
// are there, the path in the hierarchy wins: what a name means depends on no other directory.
func Open(name string) (*Cgroup, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	return open(root, name)
}

// open opens a cgroup in the hierarchy at root, for which Root reads all mounts.
func open(root, name string) (_ *Cgroup, err error) {
	below := filepath.Join(root, path.Clean("/"+name))
	file := below
	if _, err := os.Lstat(below); err != nil && filepath.IsAbs(name) && path.Clean(name) != "/" {
		if _, err := os.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			file = name
		}
	}
	dir, err := os.OpenFile(file, unix.O_DIRECTORY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: there is no directory %s in the hierarchy at %s", ErrNoCgroup,
			path.Clean("/"+strings.TrimPrefix(name, root)), root)
	case errors.Is(err, unix.ENOTDIR):
		return nil, fmt.Errorf("%w: %s is a file; its directory is the cgroup", ErrNoCgroup, file)
	case err != nil:
		return nil, err
	}
	c := &Cgroup{dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Close())
		}
	}()
	return c, c.identify(root)
}

// identify finds out which cgroup the open directory is.
func (c *Cgroup) identify(root string) error {
	var fsys unix.Statfs_t
	var stat unix.Stat_t
	if err := errors.Join(unix.Fstatfs(c.FD(), &fsys), unix.Fstat(c.FD(), &stat)); err != nil {
		return fmt.Errorf("look at %s: %w", c.dir.Name(), err)
	}
	switch fsys.Type {
	case unix.CGROUP2_SUPER_MAGIC:
	case unix.CGROUP_SUPER_MAGIC:
		return fmt.Errorf("%w of version 2: %s is one of version 1; version 2 is at %s",
			ErrNoCgroup, c.dir.Name(), root)
	default:
		return fmt.Errorf("%w: %s is not in the hierarchy at %s", ErrNoCgroup, c.dir.Name(), root)
	}
	// On 64-bit machines the whole id is the inode's number (kernfs_id_ino in
	// include/linux/kernfs.h).
	c.ID = stat.Ino
	c.Name = c.dir.Name()
	if real, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", c.FD())); err == nil {
		c.Name = real
	}
	if rest, ok := strings.CutPrefix(c.Name, strings.TrimSuffix(root, "/")); ok {
		c.Name = path.Clean("/" + rest)
	}
	return nil
}

// FD returns the descriptor of the cgroup's directory.
func (c *Cgroup) FD() int { return int(c.dir.Fd()) }

// Close releases the cgroup's directory.
func (c *Cgroup) Close() error { return c.dir.Close() }

// Processes returns the ids of the processes in the cgroup and below it, in order. A removed cgroup
// has none.
func (c *Cgroup) Processes() ([]int, error) {
	var pids []int
	root := fmt.Sprintf("/proc/self/fd/%d", c.FD()) // a path may lead to another one meanwhile
	err := filepath.WalkDir(root+"/.", func(file string, d fs.DirEntry, err error) error {
		switch {
		case gone(err):
			return nil
		case err != nil || !d.IsDir():
			return err
		}
		in, err := processes(file)
		pids = append(pids, in...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the processes of %s: %w", c.Name, err)
	}
	slices.Sort(pids)
	return slices.Compact(pids), nil
}

// gone reports whether an error means that the cgroup has been removed.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENODEV) }

// processes returns the processes of one directory.
func processes(dir string) (pids []int, err error) {
	threaded := false
	text, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, unix.EOPNOTSUPP) {
		// The cgroup has threads, whose processes may be in another cgroup.
		threaded = true
		text, err = os.ReadFile(filepath.Join(dir, "cgroup.threads"))
	}
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ids, err := parseIDs(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s has %w", dir, err)
	}
	for _, id := range ids {
		if threaded {
			if id = ProcessOf(id); id == 0 {
				continue
			}
		}
		pids = append(pids, id)
	}
	return pids, nil
}

// parseIDs reads a list of ids of processes or threads. It leaves out those that have no id in this
// process's namespace.
func parseIDs(text string) (ids []int, err error) {
	for field := range strings.FieldsSeq(text) {
		id, err := strconv.Atoi(field)
		if err != nil || id < 0 {
			return nil, fmt.Errorf("%.20q where a process id is due", field)
		}
		if id > 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// ProcessOf returns the process of a thread; 0 when it has ended.
func ProcessOf(tid int) (pid int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return 0
	}
	return parseTgid(string(status))
}

// parseTgid finds the process's id in the text of a /proc/TID/status; 0 where the text has none.
func parseTgid(status string) int {
	_, rest, _ := strings.Cut(status, "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}
