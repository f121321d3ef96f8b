package doctor

import (
	"errors"

	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
)

// examineMemory opens the counters that a run would read.
func examineMemory(fs *sysfs.FS) Finding {
	f := Finding{What: "DRAM traffic", State: Good}
	m, err := perfevent.OpenMemory(fs)
	switch {
	case err == nil:
		f.Detail = m.String() + ": lines read and written by the whole machine, for the modelled " +
			"energy of memory"
		if err := m.Close(); err != nil {
			f.Detail += "; closing: " + err.Error()
		}
	case errors.Is(err, perfevent.ErrNoMemory):
		f.State, f.Detail = Warning, perfevent.WhyNoMemory(err)+
			": the modelled energy of memory covers the program's own requests, if the cores "+
			"count them"
	case errors.Is(err, perfevent.ErrMemoryPermission):
		f.State, f.Detail, f.Advice = Warning, err.Error(), "run as root: sudo ebb doctor"
	case errors.Is(err, perfevent.ErrMemoryShared):
		f.State, f.Detail, f.Advice = Warning, err.Error(), "stop the program that uses them, "+
			"such as perf, pcm or likwid"
	default:
		f.State, f.Detail = Warning, err.Error()
	}
	return f
}
