package qualify

import "slices"

// moments returns the sums of the squares of x and of the products of x and y, as distances from
// their means.
func moments(x, y []float64) (xx, xy float64) {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for i := range x {
		mx, my = mx+x[i]/n, my+y[i]/n
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xx, xy
}

// CompareMeters compares the first meter that covers the processor or the machine with each later
// one of the whole machine. It returns the slopes of straight lines through the steps of load that
// both saw. A meter of another part, such as a graphics card's, may show anything.
func CompareMeters(all []Meter) []Compared {
	out := []Compared{}
	first := slices.IndexFunc(all, func(m Meter) bool {
		return m.Scope == "package" || m.Scope == "machine"
	})
	for i := first + 1; first >= 0 && i < len(all); i++ {
		a, b := &all[first], &all[i]
		if b.Scope != "machine" || len(a.Loads) != len(b.Loads) || len(a.Loads) < 2 ||
			a.Frozen || b.Frozen {
			continue
		}
		var x, y []float64
		for k := range a.Loads {
			x, y = append(x, b.Loads[k].Power), append(y, a.Loads[k].Power)
		}
		xx, xy := moments(x, y)
		if xx <= 0 {
			continue
		}
		out = append(out, Compared{Of: a.Name, With: b.Name, Slope: xy / xx, N: len(x)})
	}
	return out
}
