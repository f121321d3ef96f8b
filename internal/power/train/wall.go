package train

import (
	"math"
	"slices"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
)

// lags bounds how far the clocks of a log and of the machine may differ.
var lags = wattmeter.Lags{Least: -30, Most: 30, Step: 0.25}

// alignment says how a wall meter's log fits a data set.
type alignment struct {
	Lag    float64 // s by which the log's clock is ahead of the machine's
	Filled int     // intervals that got their power
	// Follows is the correlation of power and busy time at that lag.
	Follows float64
}

// align fills in the power of the intervals that have none from a wall meter's log. The clocks of
// the two may differ: the lag is that by which the power follows the machine's busy time best; 0
// where it does not follow closely, or not clearly better than with none.
func (d *Data) align(readings []wattmeter.Reading) (a alignment) {
	long := float64(d.Origin.IntervalNS) / 1e9
	busy := slices.Index(d.Inputs, "cpu_busy")
	power := func(v *Interval, lag float64) float64 {
		begin := seconds(v.At) + lag
		return wattmeter.Mean(readings, begin, begin+long, wattmeter.MostGap)
	}
	found := wattmeter.Best(func(lag float64) (x, y []float64) {
		for i := range d.Intervals {
			v := &d.Intervals[i]
			if !math.IsNaN(v.Power) || busy < 0 {
				continue
			}
			if w := power(v, lag); !math.IsNaN(w) {
				x, y = append(x, v.Inputs[busy]), append(y, w)
			}
		}
		return x, y
	}, lags)
	a.Lag, a.Follows = found.Late, found.Follows
	for i := range d.Intervals {
		v := &d.Intervals[i]
		if w := power(v, a.Lag); math.IsNaN(v.Power) && w > 0 {
			v.Power = w
			a.Filled++
		}
	}
	return a
}
