package main

import (
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/peak"
	"github.com/ebb-energy/ebb/report"
)

// ownUse measures this process.
func ownUse(r *report.Report) {
	r.OwnCPUNS = ownCPU()
	r.OwnRSSBytes = peak.Memory("self")
}

// ownCPU is what this process has used so far, in ns; 0 when that is not known.
func ownCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
