// Package peak reads the most memory that a process has had resident.
package peak

import (
	"fmt"
	"os"
	"strings"
)

// Memory is the most memory that a process has had resident so far, in bytes: VmHWM of
// proc_pid_status(5), which unlike getrusage's figure does not count the process that this one was
// forked from. The process is a name in /proc: an id, or "self". 0 when the figure is not known, as
// when the process has ended.
func Memory(process string) int64 {
	b, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	return parse(string(b))
}

func parse(status string) int64 {
	_, rest, ok := strings.Cut(status, "VmHWM:")
	if !ok {
		return 0
	}
	var kib int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}
