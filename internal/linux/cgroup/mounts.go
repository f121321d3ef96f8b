package cgroup

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Root returns the directory at which the hierarchy of cgroups version 2 is mounted. It fails with
// ErrNoHierarchy when it is not mounted.
func Root() (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", fmt.Errorf("look for the cgroup hierarchy: %w", err)
	}
	if root := mountOf(string(text)); root != "" {
		return root, nil
	}
	return "", ErrNoHierarchy
}

// Top opens the cgroup right below the root of the hierarchy in which a process is, directly or
// further below. It fails with ErrNoCgroup where the process is in the root itself, or in no cgroup
// that can be seen from here.
func Top(pid int) (*Cgroup, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cgroup", pid))
	if err != nil {
		return nil, fmt.Errorf("look for the cgroup of process %d: %w", pid, err)
	}
	name := topOf(string(text))
	if name == "" {
		return nil, fmt.Errorf("%w: process %d is in the root", ErrNoCgroup, pid)
	}
	return Open(name)
}

// topOf finds the first name of the path in the text of a process's cgroup file (cgroups(7)). The
// result is "" where there is none, or the path leads out of what is visible.
func topOf(text string) string {
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::/"); ok {
			top, _, _ := strings.Cut(path, "/")
			if top == ".." {
				return ""
			}
			return top
		}
	}
	return ""
}

// mountOf finds the hierarchy's mount in the text of a mountinfo (proc(5)). A mount of the whole
// hierarchy is preferred to one of a part, such as a container's own. The result is "" when there
// is none.
func mountOf(mountinfo string) (part string) {
	for _, m := range Mounts(mountinfo) {
		switch {
		case m.Kind != "cgroup2":
		case m.Root == "/":
			return m.Point
		case part == "":
			part = m.Point
		}
	}
	return part
}

// Mount is a line of a mountinfo (proc(5)): which part of a file system is mounted where.
type Mount struct {
	Root, Point string
	Kind        string // kind of the file system
	Options     string // options of the file system, separated by commas
}

// Mounts reads the text of a mountinfo.
func Mounts(text string) (all []Mount) {
	for line := range strings.Lines(text) {
		where, what, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(where), strings.Fields(what)
		if ok && len(left) >= 6 && len(right) >= 1 {
			m := Mount{Root: unescape(left[3]), Point: unescape(left[4]), Kind: right[0]}
			if len(right) >= 3 {
				m.Options = right[2]
			}
			all = append(all, m)
		}
	}
	return all
}

// unescape undoes the octal numbers that stand for white space and backslashes.
func unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
