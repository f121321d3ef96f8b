package report

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Name returns the command's name without path and arguments, or the name of a cgroup.
func (r *Report) Name() string {
	if r.Cgroup != "" {
		return r.Command
	}
	if r.Command == "" {
		return "a program"
	}
	own := r.OwnPID
	if own == 0 {
		own = r.PID
	}
	if r.Command == fmt.Sprintf("pid %d", own) { // nothing could be read of the process
		return r.Command
	}
	name, _, _ := strings.Cut(r.Command, " ")
	return filepath.Base(name)
}
