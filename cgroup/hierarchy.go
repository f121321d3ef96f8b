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

// mountOf finds the hierarchy's mount in the text of a mountinfo (proc(5)). A mount of the whole
// hierarchy is preferred to one of a part, such as a container's own. The result is "" when there
// is none.
func mountOf(mountinfo string) (part string) {
	for line := range strings.Lines(mountinfo) {
		where, what, ok := strings.Cut(line, " - ")
		fields := strings.Fields(where)
		if !ok || len(fields) < 6 || !strings.HasPrefix(what, "cgroup2 ") {
			continue
		}
		if fields[3] == "/" {
			return unescape(fields[4])
		}
		if part == "" {
			part = unescape(fields[4])
		}
	}
	return part
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
