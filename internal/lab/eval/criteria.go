package eval

import (
	"fmt"
	"math"
)

// Criterion is an aim of the evaluation, with the finding.
type Criterion struct {
	Aim, Found string
	Met        bool
	Where      string // workloads that decide it
}

// found has numbers of the rows, to be looked up.
type found map[foundKey]float64

type foundKey struct{ figure, workload, series, x string }

func index(rows []Row) found {
	f := found{}
	for _, r := range rows {
		f[foundKey{r.Figure, r.Workload, r.Series, short(r.X)}] = r.Value
	}
	return f
}

func (f found) get(figure, workload, series string, x float64) float64 {
	if v, ok := f[foundKey{figure, workload, series, short(x)}]; ok {
		return v
	}
	return none
}

// extreme returns the workload where of is least (sign 1) or greatest (sign -1), and the value.
func extreme(workloads []string, sign float64, of func(w string) float64) (who string, v float64) {
	v = math.Inf(1)
	for _, w := range workloads {
		if x := of(w) * sign; x < v {
			who, v = w, x
		}
	}
	return who, v * sign
}

// criteria returns the criteria whose figures are among the rows.
func criteria(rows []Row) (out []Criterion) {
	f := index(rows)
	add := func(aim string, v float64, format string, met bool, where string) {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out = append(out, Criterion{aim, fmt.Sprintf(format, v), met, where})
		}
	}
	for _, x := range []struct{ budget, aim float64 }{{5, 13}, {10, 19}} {
		v := f.get("7", meanMemory, "ebb, energy saved", x.budget)
		add(fmt.Sprintf("Memory-intensive workloads save at least %g %% within %g %%", x.aim,
			x.budget), v, "%.1f %%", v >= x.aim, "Figure 7")
	}
	for _, budget := range []float64{5, 10} {
		w, v := extreme(names(every), -1,
			func(w string) float64 { return f.get("7", w, "ebb, slowdown", budget) })
		add(fmt.Sprintf("Every workload within a budget of %g %% and 0.3 points", budget), v,
			"at most %.2f %%", v <= budget+0.3, w+" is slowest (Figure 7)")
	}
	w, v := extreme(names(memoryBound), 1,
		func(w string) float64 { return f.get("7", w, "ebb, slowdown", 5) })
	add("Memory-intensive workloads use at least 4.5 of 5 %", v, "at least %.2f %%", v >= 4.5,
		w+" uses least (Figure 7)")
	w, v = extreme(names(every), 1,
		func(w string) float64 { return f.get("9", w, seriesEbb+aheadOfStatic, 10) })
	lead := f.get("9", w, seriesOracle, 10) - f.get("9", w, seriesStatic, 10)
	add("At 10 % at least Static-Opt's saving on all seven", v, "%+.2f points", v >= 0,
		w+" decides; there the dynamic oracle is"+ahead(lead)+" (Figure 9)")
	out = append(out, shares(f)...)
	for _, x := range []struct{ figure, what string }{{"10", "slowdown"}, {"11", "energy saved"}} {
		w, v = extreme(names(every), -1, func(w string) float64 {
			return math.Abs(f.get(x.figure, w, "ebb, 500 MHz", 500) - f.get(x.figure, w,
				"ebb, 125 MHz", 125))
		})
		add("Steps of 500 MHz within one point of 125 MHz: "+x.what, v, "%.2f points apart", v <= 1,
			w+" is furthest apart (Figure "+x.figure+")")
	}
	leading := func(w, series string) float64 { return f.get("14", w, series+aheadOfStatic, none) }
	w, v = extreme(names(every), 1, func(w string) float64 { return leading(w, seriesEbb) })
	add("System energy at least as low as Static-Opt's on all seven", v, "%+.2f points", v >= 0,
		w+" decides; there the dynamic oracle is"+ahead(leading(w, seriesOracle))+", "+
			seriesInformed+ahead(leading(w, seriesInformed))+" (Figure 14)")
	out = append(out, machineCriteria(f)...)
	out = append(out, unlikeCriteria(f)...)
	out = append(out, tenantCriteria(f)...)
	return append(out, predictionCriteria(f)...)
}

// machineCriteria returns the criteria about machines that behave as real parts do.
func machineCriteria(f found) (out []Criterion) {
	budget := float64(machineBudget) * 100
	for _, m := range machines {
		w, v := extreme(names(every), -1,
			func(w string) float64 { return f.get("machines", w, m+", most slowdown", budget) })
		if math.IsInf(v, 0) {
			continue
		}
		out = append(
			out, Criterion{fmt.Sprintf("%s: within a budget of %g %% and one point, on every seed",
				m, budget), fmt.Sprintf("at most %.2f %%", v), v <= budget+1, w + " is slowest"},
		)
		own, best := f.get("machines", Mean, m+", energy saved, first seed",
			budget), f.get("machines", Mean, m+", oracle", budget)
		if m == "leaky" {
			w, least := extreme(names(every), 1,
				func(w string) float64 {
					return f.get("machines", w, m+", least energy saved",
						budget)
				})
			out = append(out, Criterion{m +
				": never more energy than always at the highest frequency",
				fmt.Sprintf("at least %+.2f %% saved", least), least >= 0, w + " saves least"})
			continue
		}
		if math.IsNaN(best) {
			continue
		}
		out = append(out, Criterion{m + ": at least 80 % of what its oracle saves, on average",
			fmt.Sprintf("%.1f %% of it (%.1f of %.1f %%)", own/best*100, own, best),
			own >= 0.8*best, "mean over workloads"})
	}
	return out
}

// ahead returns the lead over Static-Opt of a controller that knows more, in points.
func ahead(points float64) string { return fmt.Sprintf(" %+.2f points", points) }

// shares returns the criteria about the share of the dynamic oracle's savings that ebb reaches.
func shares(f found) (out []Criterion) {
	for _, budget := range []float64{5, 10} {
		var all []float64
		share := func(w string) float64 {
			return f.get("oracle", w, seriesEbb, budget) / f.get("oracle", w, seriesOracle,
				budget) * 100
		}
		for _, w := range names(every) {
			all = append(all, share(w))
		}
		v := mean(all)
		w, least := extreme(names(every), 1, share)
		if !math.IsNaN(v) {
			out = append(out, Criterion{fmt.Sprintf(
				"At least 90 %% of the dynamic oracle's saving on average, budget %g %%", budget,
			),
				fmt.Sprintf("%.1f %%", v), v >= 90,
				fmt.Sprintf("least: %s with %.1f %%", w, least)})
		}
	}
	return out
}

// predictionCriteria returns the criteria about the models' order, and about whether the machine is
// too kind to them.
func predictionCriteria(f found) (out []Criterion) {
	for _, d := range []direction{up, down} {
		base := fmt.Sprintf(" from %dGHz", d.from)
		get := func(m string) float64 { return f.get("2", Mean, m+base, float64(d.to)) }
		m, c, e, b := get(modelMCrit), get(modelCoop), get(modelDep), get(modelBurst)
		if math.IsNaN(m + c + e + b) {
			continue
		}
		order := "M+CRIT > COOP > DEP > DEP+BURST"
		out = append(out, Criterion{
			fmt.Sprintf("On the simulated machine errors order as in Figure 2, %d to %d GHz: %s",
				d.from, d.to, order),
			fmt.Sprintf("%.1f, %.1f, %.1f, %.1f %%", m, c, e, b), m > c && c > e && e > b,
			"Figures 2 and 3"},
			Criterion{fmt.Sprintf("A machine that DEP+BURST errs on by at least 1 %%, %d to %d GHz",
				d.from, d.to), fmt.Sprintf("%.1f %%", b), b >= 1, "Figure 3"})
	}
	return append(out, recordedCriteria(f)...)
}

// recordedCriteria returns the criteria about the order on recorded programs, of the models that
// differ from M+CRIT there.
func recordedCriteria(f found) (out []Criterion) {
	for _, set := range traceSets {
		for _, d := range []direction{up, down} {
			get := func(m string) float64 {
				return f.get("traces", m, fmt.Sprintf("%s, from %dGHz", set.series, d.from),
					float64(d.to))
			}
			m, e, b := get(modelMCrit), get(modelDep), get(modelBurst)
			if math.IsNaN(m + e + b) {
				continue
			}
			out = append(out, Criterion{
				fmt.Sprintf("On recorded programs (%s) too, %d to %d GHz: M+CRIT > DEP > DEP+BURST",
					set.series, d.from, d.to), fmt.Sprintf("%.1f, %.1f, %.1f %%", m, e, b),
				m > e && e > b, "Figure traces; one of them has phases for COOP"})
		}
	}
	return out
}
