package shelter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/cgroup"
)

// The inode numbers of the machine's first namespaces (PROC_PID_INIT_INO and PROC_CGROUP_INIT_INO
// in the kernel).
const (
	firstPIDs    = 0xEFFFFFFC
	firstCgroups = 0xEFFFFFFB
)

// Container returns the namespace by which this process is in a container, whose end ends all
// processes in it at once; "" where it is in none. A container that shares both of these namespaces
// with its host cannot be recognised; it is ended as a unit of the system is.
func Container() (string, error) { return container(namespaceOf) }

func container(number func(kind string) (uint64, error)) (string, error) {
	for _, n := range []struct {
		kind, is string
		first    uint64
	}{{"pid", "a PID namespace", firstPIDs}, {"cgroup", "a cgroup namespace", firstCgroups}} {
		got, err := number(n.kind)
		switch {
		case os.IsNotExist(err) && n.kind == "cgroup":
			// The kernel has none.
		case err != nil:
			return "", fmt.Errorf("find out whether ebb is in a container: %w", err)
		case got != n.first:
			return n.is, nil
		}
	}
	return "", nil
}

func namespaceOf(kind string) (uint64, error) {
	var st unix.Stat_t
	path := "/proc/self/ns/" + kind
	if err := unix.Stat(path, &st); err != nil {
		return 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return st.Ino, nil
}

// Shared reports whether a path of a container is the directory of the same name of its host: a
// directory that is mounted there, not a file system of the container's own, nor a volume.
func Shared(path string) (bool, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false, fmt.Errorf("look for what is mounted at %s: %w", path, err)
	}
	return shared(string(text), path), nil
}

// shared does the work of Shared with the text of a mountinfo. The root of a mount is a path in its
// file system, which the host may have mounted anywhere above (/run) or mounts a part of (a
// subvolume).
func shared(text, path string) (is bool) {
	path = filepath.Clean(path)
	for _, m := range cgroup.Mounts(text) {
		if m.Point == path { // a later one hides those before
			is = m.Root != "/" && (strings.HasSuffix(path, m.Root) ||
				strings.HasSuffix(m.Root, path))
		}
	}
	return is
}
