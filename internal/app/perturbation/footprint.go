package perturbation

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// kinds are the kinds of units that the energy is shown by, as in Chappie's figures 2, 11 and 13.
var kinds = []string{"method", "class", "package"}

// facts are the figures of a program from an observed run's report, besides its time.
type facts struct {
	methods int           // number of different functions seen
	threads int           // number of all threads
	running float64       // mean number of threads that ran at once
	cpu     time.Duration // CPU time of all threads
	sources []string      // sources of the zones' energy: "measured", "modelled by table2"
	// failed says why the meters' energy is no measurement; empty where it is one. With a reason
	// the shares of energy are not known.
	failed string
	// onlyTime says that no joules are known, so that energy is CPU time.
	onlyTime bool
	shares   map[string][]footprint // by kind
}

// footprint is a unit's part of a run.
type footprint struct {
	unit string
	// energy is a share of the attributed energy, NaN where it is not known. time is a share of the
	// program's CPU time.
	energy, time float64
	over         float64 // over-attribution; 0: not known
}

// factsOf returns the facts of the part of a run that counts. failed says why its meters failed; ""
// if they did not.
func factsOf(p *profile.Profile, failed string) (f facts, err error) {
	f = facts{methods: len(p.Frames), shares: map[string][]footprint{}, failed: failed,
		onlyTime: !p.Joules()}
	whole := int64(0)
	for i := range p.Threads {
		f.threads += max(p.Threads[i].Ended, 1)
		whole += p.Threads[i].RunNS
	}
	f.cpu = time.Duration(whole)
	for i := range p.Zones {
		source := p.Zones[i].Source
		if m := p.Zones[i].Model; m != "" {
			source += " by " + m
		}
		if failed != "" && source == report.Measured {
			source = "not measured (" + failed + ")"
		}
		if source = printable.Name(source); !slices.Contains(f.sources, source) {
			f.sources = append(f.sources, source)
		}
	}
	for _, by := range kinds {
		v, err := profile.NewView(p, by, nil)
		if err != nil {
			return f, err
		}
		rows := p.Rows(v, 0)
		busy := int64(0) // CPU time in the part that counts; threads have only that of the run
		for _, r := range rows {
			busy += r.TimeNS
		}
		if p.WallNS > 0 {
			f.running = float64(busy) / float64(p.WallNS)
		}
		for _, r := range rows {
			x := footprint{unit: r.Unit, energy: r.Share, over: p.OverAttribution(r.Rules)}
			if failed != "" {
				x.energy, x.over = math.NaN(), 0
			}
			if busy > 0 {
				x.time = float64(r.TimeNS) / float64(busy)
			}
			f.shares[by] = append(f.shares[by], x)
		}
	}
	return f, nil
}

// unit is the mean of a unit's part over runs, with the least and the greatest of them.
type unit struct {
	Name              string
	Energy, Low, High float64 // share of the attributed energy
	Time              float64 // share of the program's CPU time
	Over              float64 // over-attribution (Chappie, table 2); 0: not known
}

// unitsOf returns the units of a kind over several runs, the most energy first.
func unitsOf(runs []oneRun, by string) (out []unit) {
	all, seen, known := map[string]*unit{}, map[string]int{}, map[string]float64{}
	for i := range runs {
		for _, x := range runs[i].facts.shares[by] {
			u := all[x.unit]
			if u == nil {
				u = &unit{Name: x.unit, Low: x.energy}
				all[x.unit] = u
			}
			seen[x.unit]++
			u.Energy, u.Time = u.Energy+x.energy, u.Time+x.time
			if x.over > 0 {
				u.Over += x.over * x.energy
				known[x.unit] += x.energy
			}
			u.Low, u.High = min(u.Low, x.energy), max(u.High, x.energy)
		}
	}
	for name, u := range all {
		if seen[name] < len(runs) && !math.IsNaN(u.Low) {
			u.Low = 0
		}
		if known[name] > 0 {
			u.Over /= known[name]
		}
		u.Energy, u.Time = u.Energy/float64(len(runs)), u.Time/float64(len(runs))
		out = append(out, *u)
	}
	slices.SortFunc(out, func(a, b unit) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy), cmp.Compare(b.Time, a.Time),
			cmp.Compare(a.Name, b.Name))
	})
	return out
}

// topUnits is the number of units that a figure shows.
const topUnits = 10

// footprints draws the units with the most energy over the observed runs of a period, each with its
// share of the CPU time. For methods it also draws the shares that ignoring concurrent threads
// would have given. Where no joules are known, it draws CPU time alone.
func (r *Row) footprints() (out []chart.Figure) {
	onlyTime := slices.ContainsFunc(r.runs, func(o oneRun) bool { return o.facts.onlyTime })
	for _, by := range kinds {
		all := unitsOf(r.runs, by)
		all = all[:min(len(all), topUnits)]
		if len(all) == 0 {
			continue
		}
		f := chart.Ranks{Title: "Most energy, by " + by,
			X: chart.Axis{Label: "share of the energy, and of the CPU time", Unit: "%"}}
		used := chart.Series{Name: "energy, with the least and the most of the runs"}
		busy := chart.Series{Name: "CPU time", Colour: 2}
		for _, u := range all {
			f.Names = append(f.Names, printable.Name(u.Name))
			used.Values = append(used.Values, 100*u.Energy)
			used.Low, used.High = append(used.Low, 100*u.Low), append(used.High, 100*u.High)
			busy.Values = append(busy.Values, 100*u.Time)
		}
		f.Series = []chart.Series{used, busy}
		if onlyTime {
			f.Title, f.X.Label = "Most CPU time, by "+by, "share of the CPU time"
			used.Name, used.Colour = "CPU time, with the least and the most of the runs", 2
			f.Series = []chart.Series{used}
		}
		out = append(out, f)
		if g, ok := overAttribution(all); ok && by == kinds[0] {
			out = append(out, g)
		}
	}
	return out
}

// overAttribution draws Chappie's table 2; false where no over-attribution is known.
func overAttribution(all []unit) (chart.Ranks, bool) {
	f := chart.Ranks{Title: "Energy if concurrent threads were ignored, over its own",
		X:      chart.Axis{Label: "times"},
		Series: []chart.Series{{Name: "over-attribution", Colour: 3}}}
	for _, u := range all {
		if u.Over > 0 {
			f.Names = append(f.Names, printable.Name(u.Name))
			f.Series[0].Values = append(f.Series[0].Values, u.Over)
		}
	}
	return f, len(f.Names) > 0
}

// sources returns the origins of the runs' energy; of a run whose meters failed, if there is one.
func (r *Row) sources() (of []string) {
	for i := range r.runs {
		if of = r.runs[i].facts.sources; r.runs[i].facts.failed != "" {
			break
		}
	}
	return of
}

// power returns a sentence on the origin of the runs' energy; empty without runs.
func (r *Row) power() string {
	sources := r.sources()
	if len(sources) == 0 ||
		slices.ContainsFunc(r.runs, func(o oneRun) bool { return o.facts.onlyTime }) {
		return ""
	}
	text := strings.Join(sources, ", ")
	if slices.ContainsFunc(sources, func(s string) bool { return s == report.Measured }) {
		return text
	}
	return text + "; no meter measured it"
}
