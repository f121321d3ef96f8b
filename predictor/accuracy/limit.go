package accuracy

import (
	"fmt"
	"math"
	"strings"

	"github.com/ebb-energy/ebb/hpc"
)

// Limit holds what a comparison of both runs says about the error of the first model.
type Limit struct {
	Error        float64 // percent
	Run          float64 // error of the threads' running times alone, percent
	Bound        float64 // error with the running times known, percent
	Instructions float64 // instructions at the target in excess of the base's, percent
	From, To     int     // sleeps at the base and at the target
	BusyFrom     float64 // share of the memory's peak in use at the base, percent
	BusyTo       float64 // share of it at the target, percent
	Stores       float64 // share of the running time at the base with a full store queue, percent
}

// peakLine is the time a line of 64 bytes takes at 12.8 GB/s, in ns.
const peakLine = 5

func limit(base, target *trace, run, err float64) Limit {
	l := Limit{Error: err, Run: percent(run, float64(target.running())),
		From: base.sleeps(), To: target.sleeps()}
	a, ok1 := base.sum(hpc.Insts)
	b, ok2 := target.sum(hpc.Insts)
	if ok1 && ok2 && a > 0 {
		l.Instructions = percent(float64(b), float64(a))
	}
	unit := float64(base.header.TimeUnit.PerNs())
	l.BusyFrom = 100 * float64(base.lines()) * peakLine * unit / float64(base.total)
	l.BusyTo = 100 * float64(target.lines()) * peakLine * unit / float64(target.total)
	if full, ok := base.sum(hpc.SQFull); ok {
		l.Stores = 100 * float64(full) / float64(base.running())
	}
	return l
}

// String returns the comparison in words.
func (l Limit) String() string {
	if math.IsNaN(l.Error) {
		return "not measured at both frequencies"
	}
	var why []string
	waiting := l.Error - l.Run
	if math.Abs(l.Error) < 1.5 {
		why = append(why, "within 1.5 %")
	}
	if math.Abs(l.Run) >= 1.5 {
		s := fmt.Sprintf("the threads' own times are predicted %+.1f %% off", l.Run)
		if l.Stores >= 5 {
			s += fmt.Sprintf(" (the store queue is full %.0f %% of the time)", l.Stores)
		}
		if l.BusyTo >= 30 {
			s += fmt.Sprintf("; memory's bandwidth goes from %.0f to %.0f %% of its peak",
				l.BusyFrom, l.BusyTo)
		}
		why = append(why, s)
	}
	if math.Abs(waiting) >= 1.5 {
		s := fmt.Sprintf("their waits for each other add %+.1f points", waiting)
		if change := percent(float64(l.To), float64(max(l.From, 1))); math.Abs(change) >= 10 {
			s += fmt.Sprintf(
				": they sleep %d times instead of %d, another order of arrival", l.To, l.From,
			)
		}
		if math.Abs(l.Bound) >= 1.5 && !math.IsNaN(l.Bound) {
			s += fmt.Sprintf("; with their own times known it would be %+.1f %%", l.Bound)
		}
		why = append(why, s)
	}
	if math.Abs(l.Instructions) >= 0.3 {
		why = append(
			why, fmt.Sprintf(
				"the work is not the same: %+.1f %% instructions (spinning, work stealing)",
				l.Instructions,
			),
		)
	}
	if len(why) == 0 {
		why = append(why, "small errors that add up")
	}
	return strings.Join(why, "; ")
}
