package wattmeter

import "math"

// Load is the busy time of all CPUs together, from some beginning up to a moment.
type Load struct{ At, Busy float64 } // s

// Limits of an alignment.
const (
	clearlyBy = 0.05 // least gain in correlation for which a lag is taken instead of none
	Follows   = 0.8  // the least correlation by which a lag is believed
	enough    = 20   // intervals, from which a lag is found
)

// Lags are the lags that a search probes, in s.
type Lags struct{ Least, Most, Step float64 }

// Lag is the time by which readings come late.
type Lag struct {
	Late    float64 // s; a clock that is behind makes it negative
	Follows float64 // correlation of power and busy time at that lag
	Known   bool    // else Late is 0: the load hardly varied, or the power does not follow it
}

// FindLag finds by how much the power comes after the machine's load. Where no lag is clearly
// better than none, none is taken; it is then known if the power follows the load.
func FindLag(readings []Reading, load []Load, look Lags) Lag {
	at := func(late float64) (x, y []float64) {
		for i := 1; i < len(load); i++ {
			a, b := &load[i-1], &load[i]
			if w := Mean(readings, a.At+late, b.At+late, MostGap); !math.IsNaN(w) {
				x, y = append(x, (b.Busy-a.Busy)/(b.At-a.At)), append(y, w)
			}
		}
		return x, y
	}
	return Best(at, look)
}

// Best returns the lag at which y follows x best. The function at returns both for a lag. A lag at
// which more than a fifth of the pairs are lost is not taken.
func Best(at func(late float64) (x, y []float64), look Lags) (l Lag) {
	x, y := at(0)
	l.Follows = Correlation(x, y)
	l.Known = len(x) >= enough && l.Follows > Follows
	best, covered := max(l.Follows+clearlyBy, Follows), len(x)
	for n := 0; ; n++ {
		late := look.Least + float64(n)*look.Step
		if late > look.Most {
			return l
		}
		x, y := at(late)
		c := Correlation(x, y)
		if len(x) >= enough && len(x)*10 >= covered*8 && c > best {
			best, l = c, Lag{late, c, true}
		}
	}
}

// Correlation returns Pearson's correlation; 0 where one of the two does not vary.
func Correlation(x, y []float64) float64 {
	n := float64(len(x))
	if n < 2 {
		return 0
	}
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
