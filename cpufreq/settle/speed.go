package settle

import (
	"errors"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Speed is a CPU's speed while a thread spins on it.
type Speed struct {
	Value  float64         // proportional to the clock; comparable with others of the same source
	Source string          // Cycles, APERF or Loop
	Clock  units.Frequency // 0 where the source has no unit
}

// speedWindow is long enough that the kernel's own work on the CPU weighs little in a loop.
const speedWindow = 500 * time.Microsecond

// SpeedOf spins on a CPU for d and returns the median of its speeds meanwhile. It fails with
// ErrUnobserved where this process may not run there.
func SpeedOf(cpu sysfs.CPU, d time.Duration) (s Speed, err error) {
	undo, err := pin(cpu)
	if err != nil {
		return s, errors.Join(ErrUnobserved, err)
	}
	defer undo()
	var g gauge = &loop{state: 1}
	if c, err := openCounter(cpu); err == nil {
		defer c.Close() // the counter was only read
		g = c
	}
	var all []float64
	for begin := now(); now()-begin < d || len(all) == 0; {
		v, err := g.Window(speedWindow)
		if err != nil {
			return s, errors.Join(ErrUnobserved, err)
		}
		all = append(all, v)
	}
	slices.Sort(all)
	s = Speed{Value: all[len(all)/2], Source: g.Source()}
	s.Clock = clockOf(s.Source, s.Value)
	return s, nil
}

// Spin keeps a CPU busy until the channel is closed, and then returns. It fails where this process
// may not run there.
func Spin(cpu sysfs.CPU, until <-chan struct{}) error {
	undo, err := pin(cpu)
	if err != nil {
		return err
	}
	defer undo()
	l := &loop{state: 1}
	for {
		select {
		case <-until:
			return nil
		default:
			if _, err := l.Window(speedWindow); err != nil {
				return err
			}
		}
	}
}
