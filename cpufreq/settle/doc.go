// Package settle measures the time from a request for another frequency until the clock has it.
//
// Requests for the lowest and the highest state alternate, while one thread spins on one CPU and
// measures its speed. A request has settled when the speed has come nine tenths of the way to the
// new state's speed, and stays there. The method is that of FTaLaT (Mazouz et al., Evaluation of
// CPU frequency transition latency, 2014), which measures steady speeds first and then the way
// between them.
//
// The time begins before the first write and so includes the writes to all domains: it is the time
// that a decision waits.
package settle

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// ErrUnobserved: the delivered clock could not be observed, so the settle time is unknown.
var ErrUnobserved = errors.New("the delivered clock cannot be observed")

// ErrNoEffect: by a counter the clock is the same whatever is asked for. It is also an
// ErrUnobserved.
var ErrNoEffect = fmt.Errorf("%w: requests have no effect", ErrUnobserved)

// Actuator is the part of a cpufreq.Actuator that Measure needs.
type Actuator interface {
	States() []units.Frequency
	Set(units.Frequency) []cpufreq.Outcome
}

// gauge measures the speed of one CPU. Speeds of different gauges cannot be compared.
type gauge interface {
	// Source names the source of the speed: one of Cycles, APERF, Loop, Hardware, Kernel.
	Source() string
	// Window watches the CPU for about d and returns its mean speed meanwhile: a number
	// proportional to the clock.
	Window(d time.Duration) (speed float64, err error)
	// Idle leaves the CPU to others for d.
	Idle(d time.Duration)
}

// clock returns the time, from any start.
type clock func() time.Duration

// Sources of a speed.
const (
	Cycles   = "cycles"           // the PMU's cycles over time
	APERF    = "aperf"            // the cycles of the APERF register over time
	Loop     = "loop"             // the time of a loop of dependent multiplications
	Hardware = "cpuinfo_cur_freq" // read back: the driver's reading of the hardware
	Kernel   = "scaling_cur_freq" // read back: the kernel's value
)

// Result is the result of a measurement.
type Result struct {
	// P50 and P99 are the median and the 99th percentile of the times. With fewer than a hundred
	// times P99 is the longest.
	P50, P99 time.Duration
	Source   string
	Requests int // number of requests that settled
	// Missed requests did not settle in time.
	Missed int
	// Ratio is the speed at the highest state over the speed at the lowest, Asked the ratio of the
	// states themselves.
	Ratio, Asked float64
	// Highest is the clock that was delivered at the highest state; 0 where the speed is by a loop,
	// which has no unit.
	Highest units.Frequency
}

// Short reports whether much less than f, the highest state, was delivered on request: the hardware
// or a cap holds the clock back.
func (r *Result) Short(f units.Frequency) bool {
	return r.Highest != 0 && float64(r.Highest) < 0.9*float64(f)
}

func (r Result) String() string {
	return fmt.Sprintf("a request takes %s to settle (99 of 100 within %s; %d requests, by %s)",
		printable.Duration(r.P50), printable.Duration(r.P99), r.Requests, r.Source)
}
