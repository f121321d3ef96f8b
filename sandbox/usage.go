package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/peak"
)

// usage is the CPU time and memory that processes have used.
type usage struct {
	cpu  time.Duration
	peak int64 // bytes of memory
}

// tick is the unit of /proc/PID/stat: USER_HZ is 100 on every architecture that Linux runs on but
// alpha.
const tick = 10 * time.Millisecond

// add adds what a process has used. Its status must not have been taken yet.
func (u *usage) add(p *process) {
	if p == nil || p.Process == nil {
		return
	}
	if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid)); err == nil {
		// PID (NAME) STATE ...; user and system time are the 12th and 13th behind the name.
		if f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:])); len(f) > 12 {
			user, err1 := strconv.ParseInt(f[11], 10, 64)
			system, err2 := strconv.ParseInt(f[12], 10, 64)
			if err1 == nil && err2 == nil {
				u.cpu += time.Duration(user+system) * tick
			}
		}
	}
	u.peak += peak.Memory(strconv.Itoa(p.Pid))
}

// Use is the CPU time of both processes so far, and the most memory that they had resident, in
// bytes.
func (h *Host) Use() (cpu time.Duration, peak int64) {
	u := h.ended
	u.add(h.child)
	u.add(h.opener)
	return u.cpu, u.peak
}
