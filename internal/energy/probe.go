package energy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// probe is the moment of a window at which an instrument like Chappie's would see which threads
// run. It has no fixed place, for a program in step with the windows would always be seen in the
// same state: from one window to the next it moves on by the golden ratio of the window's length,
// so that any number of probes are spread evenly over the windows.
func (b *Builder) probe(w *Window) units.Instant {
	const golden = 0.6180339887498949
	_, place := math.Modf(float64(b.windows%(1<<20)) * golden)
	return w.From.Add(time.Duration(place * float64(w.Dur())))
}
