package proc

import (
	"fmt"
	"os"
	"strings"
)

// PeakMemory returns the most memory that a process has had resident so far, in bytes: VmHWM of
// proc_pid_status(5), which unlike getrusage's figure does not count the process that this one was
// forked from. The process is a name in /proc: an id, or "self". 0 when the figure is not known, as
// when the process has ended.
func PeakMemory(process string) int64 {
	b, err := os.ReadFile("/proc/" + process + "/status")
	if err != nil {
		return 0
	}
	return parsePeak(string(b))
}

func parsePeak(status string) int64 {
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
