package cgroup

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cilium/ebpf/btf"
	"golang.org/x/sys/unix"
)

// ErrGone says that a cgroup has been removed.
var ErrGone = errors.New("the cgroup is gone")

// Hierarchy is a hierarchy of cgroups that is mounted.
type Hierarchy struct {
	Name string // Version2, or the name of a subsystem of version 1
	Root string
	// Subsystem is the kernel's number of the subsystem; -1 for version 2.
	Subsystem int

	dir *os.File
}

// OpenHierarchy opens the hierarchy of that name; for "" the one that fits this machine. The error
// is ErrNotMounted where there is none.
func OpenHierarchy(name string) (_ *Hierarchy, err error) {
	mountinfo, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("look for the hierarchies of cgroups: %w", err)
	}
	cgroups, err := os.ReadFile("/proc/cgroups")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for the hierarchies of cgroups: %w", err)
	}
	controllers := ""
	for _, m := range mountsOf(string(mountinfo)) {
		if m.name == Version2 {
			// Linux before 4.5 lacks the file; the controllers are then empty.
			text, _ := os.ReadFile(filepath.Join(m.at, "cgroup.controllers"))
			controllers = string(text)
		}
	}
	m, err := choose(name, string(mountinfo), string(cgroups), controllers)
	if err != nil {
		return nil, fmt.Errorf("look for the hierarchies of cgroups: %w", err)
	}
	h := &Hierarchy{Name: m.name, Root: m.at, Subsystem: -1}
	if m.name != Version2 {
		if h.Subsystem, err = subsystem(m.name); err != nil {
			return nil, err
		}
	}
	if h.dir, err = os.Open(m.at); err != nil {
		return nil, fmt.Errorf("open the hierarchy of cgroups: %w", err)
	}
	if _, err := h.Path(h.rootID()); err != nil {
		return nil, errors.Join(fmt.Errorf("find cgroups by their number: %w", err), h.Close())
	}
	return h, nil
}

// subsystem returns the kernel's number of a subsystem.
func subsystem(name string) (int, error) {
	spec, err := btf.LoadKernelSpec()
	if err != nil {
		return 0, fmt.Errorf("find out the kernel's number of %s: %w", name, err)
	}
	var enum *btf.Enum
	if err := spec.TypeByName("cgroup_subsys_id", &enum); err != nil {
		return 0, fmt.Errorf("find out the kernel's number of %s: %w", name, err)
	}
	for _, v := range enum.Values {
		if v.Name == name+"_cgrp_id" || name == "blkio" && v.Name == "io_cgrp_id" {
			return int(v.Value), nil
		}
	}
	return 0, fmt.Errorf("%w: the kernel has no subsystem %s", ErrNotMounted, name)
}

// rootID returns the number of the cgroup at which the hierarchy is mounted.
func (h *Hierarchy) rootID() uint64 {
	var st unix.Stat_t
	if err := unix.Fstat(int(h.dir.Fd()), &st); err != nil {
		return 0
	}
	return st.Ino
}

// handle is the type of a file handle that is a number of kernfs (FILEID_KERNFS).
const handle = 0xfe

// open opens a cgroup's directory by its number.
func (h *Hierarchy) open(id uint64) (int, error) {
	of := binary.NativeEndian.AppendUint64(nil, id)
	fd, err := unix.OpenByHandleAt(int(h.dir.Fd()), unix.NewFileHandle(handle, of),
		unix.O_PATH|unix.O_CLOEXEC)
	if errors.Is(err, unix.ESTALE) || errors.Is(err, unix.ENOENT) {
		return -1, ErrGone
	}
	return fd, err
}

// Path returns the path of a cgroup below the hierarchy's root; "/" is the root. Of a path that is
// longer than PATH_MAX it returns the path of a cgroup further up that is short enough. The error
// is ErrGone where the cgroup has been removed, or its path cannot be seen from here.
func (h *Hierarchy) Path(id uint64) (string, error) {
	path, err := h.link(id)
	if err != nil {
		return "", err
	}
	// A cgroup can be called that.
	if strings.HasSuffix(path, " (deleted)") && h.Gone(id) {
		return "", ErrGone
	}
	below, ok := strings.CutPrefix(path, strings.TrimSuffix(h.Root, "/"))
	if !ok || below != "" && below[0] != '/' {
		return "", fmt.Errorf("%w: it cannot be seen from here", ErrGone)
	}
	if below == "" {
		return "/", nil
	}
	return below, nil
}

// link returns the whole path of a cgroup, or of one further up. Old kernels find a removed cgroup
// by its id as long as somebody has it open, so nothing is open when it returns.
func (h *Hierarchy) link(id uint64) (string, error) {
	fd, err := h.open(id)
	if err != nil {
		return "", err
	}
	defer func() { unix.Close(fd) }()
	path, err := linkOf(fd)
	for errors.Is(err, unix.ENAMETOOLONG) {
		up, failed := unix.Openat(fd, far, unix.O_PATH|unix.O_CLOEXEC, 0)
		if failed != nil {
			return "", fmt.Errorf("look above a cgroup: %w", failed)
		}
		unix.Close(fd)
		fd = up
		path, err = linkOf(fd)
	}
	if err != nil {
		return "", fmt.Errorf("read a cgroup's path: %w", err)
	}
	return path, nil
}

// far is the way to a cgroup above one whose path is too long. A name has 255 bytes at most, so
// such a path has 16 parts or more, and what is left has as many as a kind of name needs.
const far = "../../../.."

func linkOf(fd int) (string, error) { return os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)) }

// Gone reports whether a cgroup has been removed.
func (h *Hierarchy) Gone(id uint64) bool {
	fd, err := h.open(id)
	if err != nil {
		return errors.Is(err, ErrGone)
	}
	unix.Close(fd)
	return false
}

// Close closes the hierarchy's directory.
func (h *Hierarchy) Close() error { return h.dir.Close() }
