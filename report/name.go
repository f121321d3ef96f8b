package report

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Name is the command's name without path and arguments, or what a cgroup is called.
func (r *Report) Name() string {
	if r.Cgroup != "" {
		return r.Command
	}
	if r.Command == "" {
		return "a program"
	}
	if r.Command == fmt.Sprintf("pid %d", r.PID) { // of which nothing could be read
		return r.Command
	}
	name, _, _ := strings.Cut(r.Command, " ")
	return filepath.Base(name)
}
