package qualify

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// judge collects the checks of a result.
type judge struct {
	r      *Result
	checks []Check
}

func (j *judge) add(step int, question string, a Answer, threshold, found string, args ...any) {
	j.checks = append(j.checks, Check{step, question, a, fmt.Sprintf(found, args...), threshold})
}

// step makes the checks of one step.
func (j *judge) step(s *Step) {
	switch {
	case s.Requests != nil:
		j.requests(s.Requests)
	case s.Counters != nil:
		j.counters(s.Counters)
	case s.Meters != nil:
		j.meters(s)
	case s.Predictions != nil:
		j.predictions(s.Predictions)
	case len(s.Comparisons) > 0 && s.Number == StepIdle:
		j.idle(&s.Comparisons[0])
	case len(s.Comparisons) > 0:
		j.budgets(s.Comparisons)
	case s.Killed != nil:
		j.killed(s.Killed)
	case s.There != nil || s.State == NotRun || s.State == Failed:
	default:
		j.add(s.Number, Titles[within(s.Number)], Open, "", "%s", stateSentence(s))
	}
	if s.State == Failed { // after it had found something, too
		j.add(s.Number, Titles[within(s.Number)], Within, "", "%s", stateSentence(s))
	}
	if s.Number == StepBudgets {
		j.left(s)
	}
	if s.Throttled.Any() {
		j.add(s.Number, "Was it throttled?", Within, "not once",
			"yes: %s; runs at the highest clock are no baseline here", throttledText(s.Throttled))
	}
}

// left makes a check of each part that the step of budgets did without, so that no verdict rests on
// the others alone. It leaves out the program of a JVM, whose failure is not ebb's.
func (j *judge) left(s *Step) {
	for _, gone := range s.Missing {
		a := Open
		if gone.Absence == Unknown {
			a = Within
		}
		if gone.What != JVMProgram {
			j.add(s.Number, "Was every part of it done?", a, "", "without %s (%s: %s)", gone.What,
				gone.Absence, gone.Because)
		}
	}
}

// within limits the number of a step, which a stranger may have chosen, to the table of steps.
func within(n int) int { return min(max(n, 0), Steps) }

func stateSentence(s *Step) string {
	text := string(s.State)
	if s.Absence != "" {
		text += ", " + string(s.Absence)
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	return text
}

func throttledText(t Throttled) string {
	var all []string
	for _, c := range []struct {
		n    int64
		what string
	}{{t.Core, "heat of a core"}, {t.Package, "heat of the package"},
		{t.CorePower, "a core's power limit"}, {t.PackagePower, "the package's power limit"}} {
		if c.n > 0 {
			all = append(all, fmt.Sprintf("%s %d times", c.what, c.n))
		}
	}
	if t.Cooled {
		all = append(all, "a cooling device")
	}
	return strings.Join(all, ", ")
}

// at grades a distance: up to believe it is Believe, up to within Within, beyond Not.
func at(distance, believe, within float64) Answer {
	switch {
	case math.IsNaN(distance):
		return Open
	case distance <= believe:
		return Believe
	case distance <= within:
		return Within
	}
	return Not
}

// whole makes the check of the whole result.
func (j *judge) whole() {
	const question = "Is the machine as it was found?"
	if len(j.r.Changed) > 0 {
		j.add(StepKilled, question, Not, "every setting", "no: %s", strings.Join(j.r.Changed, "; "))
		return
	}
	switch n := j.r.Settings; {
	case len(j.r.Steps) == 0:
	case n != nil && *n == 0:
		j.add(StepKilled, question, Open, "", "no setting of a clock can be read")
	default:
		j.add(StepKilled, question, Believe, "every setting", "yes")
	}
}

func ghz(hz int64) string { return fmt.Sprintf("%.2f GHz", float64(hz)/1e9) }

func short(ns int64) string { return printable.Duration(time.Duration(ns)) }
