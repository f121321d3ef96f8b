package run

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// ownTime is the CPU time of ebb's processes: this one, and those of others whose ids change when
// they are started again. The guardian sleeps and is not among them.
type ownTime struct {
	others func() []int // nil for none
	used   map[int]time.Duration
}

// read adds up what all processes have used so far, those that have ended included.
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
