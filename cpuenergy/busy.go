package cpuenergy

import (
	"os"
	"time"

	"github.com/ebb-energy/ebb/internal/cputime"
)

// busy is the time of all CPUs together in which they ran something.
func busy() (time.Duration, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	return parseBusy(string(b))
}

func parseBusy(text string) (sum time.Duration, err error) {
	err = cputime.ErrMalformed
	cputime.Each(text, func(l cputime.Line, bad error) {
		if l.CPU == cputime.All {
			sum, err = l.Busy(), bad
		}
	})
	return sum, err
}
