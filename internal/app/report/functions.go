package report

import (
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// shownFunctions is the number of functions that the summary shows.
const shownFunctions = 5

// functionLines prints how much was called, and the functions with the most energy, or CPU time.
func (r *Report) functionLines(p func(string, string, ...any)) {
	if r.Attribution == nil || r.Attribution.Functions == nil {
		return
	}
	f := r.Attribution.Functions
	if f.Threads == 0 {
		p("functions", "no call was counted: nothing was compiled with -finstrument-functions, "+
			"and no Java class fitted --java")
		return
	}
	p("functions", "%s", f.Coverage())
	amounts := r.Attribution.Amounts()
	for i := range f.List[:min(len(f.List), shownFunctions)] {
		x := &f.List[i]
		calls := printable.Count(x.Calls, "call")
		if x.Records == 0 {
			p("", "%s: %s", x.Name, calls)
			continue
		}
		if x.Short {
			p("", "%s: %s, %s each by samples, with what they called", x.Name, calls,
				amounts.One(x.MeanNJ))
			continue
		}
		p("", "%s: %s, %s each (deviation %s), with what they called", x.Name, calls,
			amounts.One(x.MeanNJ), amounts.One(x.DeviationNJ))
	}
	for _, s := range f.Gaps() {
		p("", "%s", s)
	}
}
