package sandbox

import (
	"strconv"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// usage holds the CPU time and memory that processes have used.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes of memory
}

// add adds what a process has used. Its status must not have been taken yet.
func (u *usage) add(p *process) {
	if p == nil || p.Process == nil {
		return
	}
	if used, ok := proc.Used(p.Pid); ok {
		u.cpu += used
	}
	u.peak += proc.PeakMemory(strconv.Itoa(p.Pid))
}

// Processes returns the ids of the two processes, as far as they run.
func (h *Host) Processes() (pids []int) {
	for _, p := range []*process{h.child, h.opener} {
		if p != nil && p.Process != nil {
			pids = append(pids, p.Pid)
		}
	}
	return pids
}

// Use returns the CPU time of both processes so far, and the most memory that they had resident, in
// bytes.
func (h *Host) Use() (cpu time.Duration, peak int64) {
	u := h.ended
	u.add(h.child)
	u.add(h.opener)
	return u.cpu, u.peak
}
