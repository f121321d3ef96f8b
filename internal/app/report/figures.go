package report

import (
	"slices"
	"time"
)

// Figure is a figure of a run that can be compared between runs.
type Figure struct {
	Name, Unit string
	Value      float64
}

// Figures returns the quantities by which runs are compared, without those that the run does not
// know. A run that is too short has none in percent.
func (r *Report) Figures() []Figure {
	figures := []Figure{{"time", "s", time.Duration(r.WallNS).Seconds()}}
	if r.Tenants != nil {
		figures = append(figures, r.Tenants.figures()...)
	} else {
		figures = append(figures, Figure{"slower, clock and ebb", "%", 100 * r.SlowdownTotal},
			Figure{"slower, ebb alone", "%", 100 * r.SlowdownOwn})
	}
	add := func(source string, used, top int64) {
		if used > 0 {
			figures = append(figures, Figure{"energy, " + source, "J", float64(used) / 1e9})
		}
		if used > 0 && top > 0 {
			figures = append(figures, Figure{"saved, " + source, "%", 100 * saved(used, top)})
		}
	}
	m := r.meteredTotal()
	add("metered", m.used, m.top)
	used, top := r.modelled()
	add("modelled", used, top)
	if used, top := r.reference(); used > 0 && top > 0 {
		figures = append(figures, Figure{"saved, " + Reference, "%", 100 * saved(used, top)})
	}
	if clock := r.meanClock(); clock > 0 {
		figures = append(figures, Figure{"clock", "GHz", clock / 1e9})
	}
	figures = append(figures, Figure{"CPU time of ebb", "s",
		time.Duration(r.OwnCPUNS).Seconds()})
	if r.TooShort() {
		figures = slices.DeleteFunc(figures, func(f Figure) bool { return f.Unit == "%" })
	}
	return figures
}

// figures returns the figures of each tenant that ran.
func (t *Tenants) figures() (out []Figure) {
	for i := range t.List {
		x := &t.List[i]
		if x.BusyNS == 0 {
			continue
		}
		out = append(out, Figure{x.Name + ", slower by the clock", "%", 100 * x.Slowdown})
		if x.SlowdownOwn != nil {
			out = append(out, Figure{x.Name + ", slower by ebb", "%", 100 * *x.SlowdownOwn})
		}
		out = append(out, Figure{x.Name + ", CPU time", "s", time.Duration(x.CPUNS).Seconds()})
	}
	return out
}

// meanClock returns the mean of the frequencies over time, in Hz; 0 when there was none.
func (r *Report) meanClock() float64 {
	var sum, all float64
	for _, f := range r.Frequencies {
		if f.TimeNS > 0 {
			sum += float64(f.FreqHz) * float64(f.TimeNS)
			all += float64(f.TimeNS)
		}
	}
	if all == 0 {
		return 0
	}
	return sum / all
}
