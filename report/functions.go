package report

import (
	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/units"
)

// shownFunctions is the number of functions that the summary shows.
const shownFunctions = 5

// functionLines prints how much was called, and the functions with the most energy.
func (r *Report) functionLines(p func(string, string, ...any)) {
	if r.Attribution == nil || r.Attribution.Functions == nil {
		return
	}
	f := r.Attribution.Functions
	if f.Threads == 0 {
		p("functions", "no call was counted: was the program compiled with -finstrument-functions?")
		return
	}
	p("functions", "%s", f.Coverage())
	for i := range f.List[:min(len(f.List), shownFunctions)] {
		x := &f.List[i]
		calls := printable.Count(x.Calls, "call")
		if x.Records == 0 {
			p("", "%s: %s", x.Name, calls)
			continue
		}
		if x.Short {
			p("", "%s: %s, %v each by samples, with what they called", x.Name, calls,
				units.Energy(x.MeanNJ))
			continue
		}
		p("", "%s: %s, %v each (deviation %v), with what they called", x.Name, calls,
			units.Energy(x.MeanNJ), units.Energy(x.DeviationNJ))
	}
	for _, s := range f.Gaps() {
		p("", "%s", s)
	}
}
