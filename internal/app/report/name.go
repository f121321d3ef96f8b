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
	own := r.OwnPID
	if own == 0 {
		own = r.PID
	}
	if r.Command == fmt.Sprintf("pid %d", own) { // of which nothing could be read
		return r.Command
	}
	name, _, _ := strings.Cut(r.Command, " ")
	return filepath.Base(name)
}
