package perturbation

import (
	"math"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// programLines returns the program's row of Chappie's figure 5, with the origin of the energy.
func (s *Search) programLines(r *Row) [][]string {
	mean, deviation := meanOf(r.alone)
	var methods, threads, running float64
	n := float64(len(r.runs))
	for i := range r.runs {
		f := &r.runs[i].facts
		methods, threads = methods+float64(f.methods)/n, threads+float64(f.threads)/n
		running += f.running / n
	}
	return [][]string{
		{"command", "period_ms", "runs", "wall_s", "wall_sd_s", "methods", "threads", "running",
			"power"},
		{printable.Cell(strings.Join(s.argv, " ")), strconv.Itoa(r.PeriodMS),
			strconv.Itoa(len(r.alone)), number(mean), number(deviation),
			strconv.Itoa(int(math.Round(methods))), strconv.Itoa(int(math.Round(threads))),
			number(running), strings.Join(r.sources(), ", ")},
	}
}

// meanOf returns the mean of the runs' times and their standard deviation, in s.
func meanOf(runs []oneRun) (mean, deviation float64) {
	n := float64(len(runs))
	for i := range runs {
		mean += runs[i].wall.Seconds() / n
	}
	for i := range runs {
		d := runs[i].wall.Seconds() - mean
		deviation += d * d / max(n-1, 1)
	}
	return mean, math.Sqrt(deviation)
}

// overheadLines returns the results for each period: Chappie's figures 4, 6, 10 and 14.
func overheadLines(rows []Row) [][]string {
	out := [][]string{{"period_ms", "rate_hz", "time", "time_low_95", "time_high_95", "undelayed",
		"undelayed_low_95", "undelayed_high_95", "cpu", "cpu_low_95", "cpu_high_95", "energy",
		"energy_low_95", "energy_high_95", "power", "power_low_95", "power_high_95", "temporal",
		"temporal_se", "spatial", "spatial_se", "verdict", "batches", "convergence",
		"convergence_se", "convergence_rmse"}}
	span := func(i bench.Interval) []string {
		if !i.Known() {
			return []string{"", "", ""}
		}
		return []string{number(i.Estimate), number(i.Lo), number(i.Hi)}
	}
	relation := func(c Correlation) []string {
		if !c.Known {
			return []string{"", ""}
		}
		return []string{number(c.R), number(c.SE)}
	}
	maybe := func(v *float64) string {
		if v == nil {
			return ""
		}
		return number(*v)
	}
	for i := range rows {
		r := &rows[i]
		line := []string{strconv.Itoa(r.PeriodMS), strconv.Itoa(r.RateHz)}
		for _, x := range []bench.Interval{r.Time, r.Undelayed, r.CPU, r.Energy, r.Power} {
			line = append(line, span(x)...)
		}
		line = append(append(line, relation(r.Temporal)...), relation(r.Spatial)...)
		out = append(out, append(line, r.verdict(), strconv.Itoa(r.Batches), maybe(r.Convergence),
			maybe(r.ConvergenceSE), maybe(r.RMSE)))
	}
	return out
}

// footprintLines returns all units by method, class and package: Chappie's figures 2, 11 and 13,
// and table 2.
func footprintLines(r *Row) [][]string {
	out := [][]string{{"by", "unit", "energy_share", "energy_share_least", "energy_share_most",
		"cpu_share", "over_attribution"}}
	for _, by := range kinds {
		for _, u := range unitsOf(r.runs, by) {
			over := ""
			if u.Over > 0 {
				over = number(u.Over)
			}
			out = append(out, []string{by, printable.Cell(u.Name), number(u.Energy), number(u.Low),
				number(u.High), number(u.Time), over})
		}
	}
	return out
}

// shapeLines returns the characterisations of the runs, alone and observed: Chappie's figures 7 and
// 9.
func (s *Search) shapeLines(r *Row) (temporal, spatial [][]string) {
	temporal = [][]string{{"kind", "from_hz", "to_hz", "epoch_s", "share_of_cores"}}
	spatial = [][]string{{"kind", "from_hz", "to_hz", "cores", "share_of_epochs"}}
	lines := func(of *Shape, kind string, shares [][]float64,
		step float64) (out [][]string) {
		for i, share := range shares {
			from := of.Low + float64(i)*of.Width
			for k, v := range share {
				out = append(out, []string{kind, number(from), number(from + of.Width),
					number(float64(k) * step), number(v)})
			}
		}
		return out
	}
	pair := func(ranges int) (shapes [2]*Shape) {
		shapes[1], shapes[0] = shapesOf(r.observed, r.reference, ranges)
		return shapes
	}
	names := []string{"alone", "observed"}
	for i, shape := range pair(temporalRanges) {
		if shape != nil {
			temporal = append(temporal, lines(shape, names[i], shape.Temporal,
				s.Epoch.Seconds())...)
		}
	}
	for i, shape := range pair(spatialRanges) {
		if shape != nil {
			spatial = append(spatial, lines(shape, names[i], shape.Spatial, 1)...)
		}
	}
	return temporal, spatial
}
