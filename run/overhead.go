package run

import (
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/peak"
	"github.com/ebb-energy/ebb/report"
)

// addOverhead reports what this process and its guardian used, and what the guardian did. It has
// ended by then.
func (r *Run) addOverhead(done *report.Report) error {
	done.OwnCPUNS = ownCPU()
	done.OwnRSSBytes = peak.Memory("self")
	if r.guardian == nil {
		return nil
	}
	if from, to, ok := r.guardian.Stall(); ok {
		done.StalledNS = int64(to.Sub(from))
	}
	done.Warnings = append(done.Warnings, r.guardian.Notes()...)
	used := r.guardian.Cost()
	done.OwnCPUNS += int64(used.CPU)
	done.OwnRSSBytes += used.PeakRSS
	return nil
}

// ownCPU is what this process has used so far, in ns; 0 when that is not known.
func ownCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
