package methods

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// ownTime adds up the CPU time of ebb's processes: this one, and others whose ids change when they
// are started again. The guardian sleeps and is not among them.
type ownTime struct {
	others func() []int // ids of the other processes; nil for none
	used   map[int]time.Duration
}

// read returns the time of all processes so far, including those that have ended.
func (o *ownTime) read() (sum time.Duration) {
	pids := []int{os.Getpid()}
	if o.others != nil {
		pids = append(pids, o.others()...)
	}
	for _, pid := range pids {
		if d, ok := proc.Used(pid); ok {
			o.used[pid] = d
		}
	}
	for _, d := range o.used {
		sum += d
	}
	return sum
}
