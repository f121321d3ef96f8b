package energy

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// probe returns the moment of a window at which an instrument like Chappie's would see which
// threads run. It has no fixed place, because a program in step with the windows would then always
// be seen in the same state. From one window to the next it moves on by the golden ratio of the
// window's length. So any number of probes are spread evenly over the windows.
func (b *Builder) probe(w *Window) units.Instant {
	const golden = 0.6180339887498949
	_, place := math.Modf(float64(b.windows%(1<<20)) * golden)
	return w.From.Add(time.Duration(place * float64(w.Dur())))
}
