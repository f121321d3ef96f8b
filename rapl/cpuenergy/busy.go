package cpuenergy

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// busy returns the time in which CPUs ran something, summed over all CPUs.
func busy() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return parseBusy(string(b))
}

func parseBusy(text string) (sum time.Duration, err error) {
	err = proc.ErrMalformedCPU
	proc.EachCPU(text, func(l proc.CPULine, bad error) {
		if l.CPU == proc.AllCPUs {
			sum, err = l.Busy(), bad
		}
	})
	return sum, err
}
