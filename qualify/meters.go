package qualify

import "math"

// Correlation is Pearson's; 0 where one does not vary.
func Correlation(x, y []float64) float64 {
	n := float64(len(x))
	if n < 2 {
		return 0
	}
	xx, yy, xy := moments(x, y)
	if xx <= 0 || yy <= 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// moments are the sums of squares and products of the distances from the means.
func moments(x, y []float64) (xx, yy, xy float64) {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xx, yy, xy
}

// CompareMeters compares the first meter with each other one, by the steps of load that both saw:
// the slope of a straight line through them.
func CompareMeters(all []Meter) []Compared {
	out := []Compared{}
	for i := 1; i < len(all); i++ {
		a, b := &all[0], &all[i]
		if len(a.Loads) != len(b.Loads) || len(a.Loads) < 2 || a.Frozen || b.Frozen {
			continue
		}
		var x, y []float64
		for k := range a.Loads {
			x, y = append(x, b.Loads[k].Power), append(y, a.Loads[k].Power)
		}
		xx, _, xy := moments(x, y)
		if xx <= 0 {
			continue
		}
		out = append(out, Compared{Of: a.Name, With: b.Name, Slope: xy / xx, N: len(x)})
	}
	return out
}
