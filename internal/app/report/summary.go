package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/verdict"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// SummaryLabel is the width of the labels of WriteSummary's lines.
const SummaryLabel = 14

// WriteSummary prints what a person wants to know at the end of a run.
func (r *Report) WriteSummary(w io.Writer) {
	if r.Tenants != nil {
		r.writeTenantsSummary(w)
		return
	}
	p := func(name, format string, args ...any) {
		printable.Fprintf(w, "  %-11s "+format+"\n", append([]any{name}, args...)...)
	}
	wall := time.Duration(r.WallNS)
	printable.Fprintf(w, "ebb: %s\n", r.headline())
	r.verdictLines(p)
	p("time", "%s, no thread ran for %s%s%s", printable.Duration(wall),
		r.idle(), r.waitedNote(), r.profiledNote())
	if t := r.ThreadTime; t != nil {
		of := func(ns int64) string { return printable.Duration(time.Duration(ns)) }
		p("", "threads: %s running, %s runnable, %s throttled; %s waiting for the program, "+
			"%s for the world", of(t.RunningNS), of(t.RunnableNS), of(t.ThrottledNS),
			of(t.WaitProgramNS), of(t.WaitWorldNS))
	}
	r.endingLine(p)
	if s := r.notTraced(); s != "" {
		p("not traced", "%s", s)
	}
	p("epochs", "%d (%.0f per second), %s, %s%s", r.Epochs, perSecond(r.Epochs, r.ProfiledNS),
		printable.Count(len(r.Threads), "thread"), printable.Count(r.Decisions, "decision"),
		r.restNote())
	if r.Collections > 0 {
		p("collector", "%s, each a phase of its own", printable.Count(r.Collections, "collection"))
	}
	r.budgetLine(p)
	r.sourceLine(p)
	r.machineLines(p)
	r.energyLine(p)
	r.memoryLine(p)
	r.networkLines(p)
	r.functionLines(p)
	if r.ForecastError != nil {
		p("prediction", "forecast error: %.2f percentage points (mean, one quantum ahead)",
			*r.ForecastError*100)
	}
	if r.PredictionError != nil {
		p("", "error of the predicted time per instruction: %.1f %% (mean, one quantum ahead), "+
			"%s; bias %+.1f %%, alpha %.2f",
			*r.PredictionError*100, printable.Count(r.Probes, "probe"), r.PredictionBias*100,
			r.Alpha)
	}
	if len(r.Frequencies) > 0 {
		p("frequency", "%s", "share of time"+r.frequencyNote())
		r.histogram(w)
		r.limitLine(p)
	}
	p("lost", "%s; quanta: %d with holes, %d late", printable.Count(int64(r.LostRecords), "record"),
		r.HoleQuanta, r.StaleQuanta)
	p("ebb's cost", "%s; %s of memory", r.ownTime(true), mebibytes(r.OwnRSSBytes))
	for _, s := range r.Refusals {
		p("refused", "%s", s)
	}
	for _, s := range r.Warnings {
		p("warning", "%s", s)
	}
}

func (r *Report) headline() string {
	what := r.Name()
	if r.Cgroup == "" {
		what = fmt.Sprintf("%s (process %d%s)", what, r.PID, r.otherPIDs())
	}
	if r.Actuator == "shadow" {
		return what + ", shadow mode, nothing was written"
	}
	return what + ", frequency set by " + r.Actuator
}

// otherPIDs has the target's ids in other PID namespaces than the machine's first one.
func (r *Report) otherPIDs() (s string) {
	if r.OwnPID != 0 {
		s = fmt.Sprintf(", %d in ebb's PID namespace", r.OwnPID)
	}
	if r.InnerPID != 0 && r.InnerPID != r.OwnPID {
		s += fmt.Sprintf(", %d in its own PID namespace", r.InnerPID)
	}
	return s
}

// waitedNote returns the part of the time without a running thread that was not idle.
func (r *Report) waitedNote() string {
	if r.WaitedNS == 0 {
		return ""
	}
	return fmt.Sprintf(" (in %s a thread waited for a CPU or its quota)",
		printable.Percent(share(r.WaitedNS, r.ProfiledNS)))
}

func (r *Report) profiledNote() string {
	if r.HoldOff <= 1 {
		return ""
	}
	return fmt.Sprintf("; %s profiled (hold-off %d)", printable.Percent(share(r.ProfiledNS,
		r.WallNS)),
		r.HoldOff)
}

// restNote returns the number and length of the rests.
func (r *Report) restNote() string {
	if r.Rests == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of %.1f quanta", printable.Count(r.Rests, "rest"),
		float64(r.RestQuanta)/float64(r.Rests))
}

func (r *Report) frequencyNote() string {
	if r.Actuator == "shadow" {
		return " at each frequency that ebb would have requested"
	}
	return " at each requested frequency"
}

func (r *Report) budgetLine(p func(string, string, ...any)) {
	goal := "objective " + r.Objective
	switch r.Objective {
	case "slowdown":
		goal = "budget " + printable.Percent(r.SlowdownBudget)
	case "fixed":
		goal = units.Frequency(r.FixedHz).Text() + " all the time"
	}
	if r.TooShort() {
		p("slowdown", "%s, %s (%s)", verdict.TooShort, goal, r.estimatorNote())
		return
	}
	p("slowdown", "%s predicted, %s (%s)", printable.Percent(r.SlowdownPredicted), goal,
		r.estimatorNote())
	p("", "ebb's own cost: %s; clock and ebb together: %s against a run without ebb",
		printable.Percent(r.SlowdownOwn), printable.Percent(r.SlowdownTotal))
}

func (r *Report) estimatorNote() string {
	if r.EstimatorNote != "" {
		return r.EstimatorNote
	}
	return "model " + r.Model + ", estimator " + r.Estimator
}

func (r *Report) energyLine(p func(string, string, ...any)) {
	r.meteredLine(p)
	if e, m := r.modelled(); m > 0 {
		change, what := saved(e, m), "saved"
		if change <= -unseen {
			change, what = -change, "more"
		}
		against := fmt.Sprintf(" against %s always at the highest frequency: %s %s",
			units.Energy(m), printable.Percent(change), what)
		if r.TooShort() {
			against = ""
		}
		p("energy", "%s of %s%s (modelled: %s; not measured)", units.Energy(e), r.of(), against,
			r.model())
	}
	r.comparedLine(p)
	r.powerLine(p)
	r.measuredLines(p)
}

// measuredLines prints the energies of the machine's meters, which are of all that ran, not of the
// target alone.
func (r *Report) measuredLines(p func(string, string, ...any)) {
	for _, z := range r.Energy {
		if z.Source != Measured {
			continue
		}
		note := z.Note()
		if note != "" {
			note = "; " + note
		}
		e := units.Energy(z.EnergyNJ)
		p("measured", "%s: %s, %s in the mean, of the whole machine (RAPL by %s)%s", z.Zone, e,
			e.Over(time.Duration(z.ProfiledNS)), z.Meter, note)
	}
}

// histogramWidth is the width of the longest bar, in characters.
const histogramWidth = 40

func (r *Report) histogram(w io.Writer) {
	var total, most int64
	for _, f := range r.Frequencies {
		total, most = total+f.TimeNS, max(most, f.TimeNS)
	}
	if total == 0 {
		return
	}
	for _, f := range r.Frequencies {
		bar := strings.Repeat("#", int((f.TimeNS*histogramWidth+most-1)/most))
		fmt.Fprintf(w, "  %11s %9s %6s %s\n", "", units.Frequency(f.FreqHz).Text(),
			printable.ShortPercent(share(f.TimeNS, total)), bar)
	}
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func perSecond(n, ns int64) float64 { return share(n, ns) * 1e9 }

func mebibytes(b int64) string { return fmt.Sprintf("%.1f MiB", float64(b)/(1<<20)) }
