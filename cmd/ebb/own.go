package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/report"
	"golang.org/x/sys/unix"
)

// ownUse measures this process.
func ownUse(r *report.Report) {
	r.OwnCPUNS = ownCPU()
	r.OwnRSSBytes = peakMemory()
}

// ownCPU is what this process has used so far, in ns; 0 when that is not known.
func ownCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// peakMemory is the most memory this process has had resident, in bytes: VmHWM, which unlike getrusage's figure does not
// count the process that this one was forked from.
func peakMemory() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(b), "VmHWM:")
	if !ok {
		return 0
	}
	var kib int64
	if _, err := fmt.Sscanf(rest, "%d kB", &kib); err != nil {
		return 0
	}
	return kib << 10
}
