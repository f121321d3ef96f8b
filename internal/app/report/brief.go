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

// Look describes the place where a summary is printed.
type Look struct {
	Width int // width of a line, in characters
	// Wrap breaks a sentence into lines; Good, Bad and Doubtful colour an answer.
	Wrap                func(text string, width int) []string
	Good, Bad, Doubtful func(string) string
	// All has all warnings printed, not the first alone: nobody can ask a log for more.
	All bool
}

// briefLabel is the width of a brief summary's labels. headLabel is that of its first row's.
const (
	briefLabel = 10
	headLabel  = len("ebb: ")
)

// brief writes the rows of a brief summary.
type brief struct {
	w    io.Writer
	look *Look
}

// WriteBrief prints the verdict and the figures that it rests on, in at most eight rows. Longer
// rows go on below their own text. It also prints what --network and --functions were asked for.
func (r *Report) WriteBrief(w io.Writer, look *Look) {
	b := brief{w, look}
	if r.Tenants != nil {
		r.writeTenantsBrief(&b)
		return
	}
	b.answer(r)
	if !r.TooShort() {
		b.row("slower", r.slower())
	}
	if energy := r.briefEnergy(); energy != "" {
		b.row("energy", energy)
	}
	if power := r.briefPower(); power != "" {
		b.row("power", power)
	}
	b.row("time", r.briefTime())
	b.row("ebb", r.costLine())
	b.warnings(r)
	b.better(r)
	text := func(name, format string, args ...any) { b.row(name, fmt.Sprintf(format, args...)) }
	r.networkLines(text)
	r.functionLines(text)
}

// answer writes the verdict, its answer in colour.
func (b *brief) answer(r *Report) {
	line, word := r.headline(), ""
	if r.Verdict != nil {
		line, word = withoutReason(r.Verdict.Line, r.ActuatorReason), string(r.Verdict.Answer)
		paint := map[verdict.Answer]func(string) string{verdict.Worth: b.look.Good,
			verdict.Not: b.look.Bad, verdict.Unknown: b.look.Doubtful}[r.Verdict.Answer]
		if rest, begins := strings.CutPrefix(line, word); begins && paint != nil {
			b.lines("ebb: ", word+rest, func(first string) string {
				// Wrap may end the line within the answer where there is hardly any room.
				if rest, begins := strings.CutPrefix(first, word); begins {
					return paint(word) + printable.Name(rest)
				}
				return printable.Name(first)
			})
			return
		}
	}
	b.lines("ebb: ", line, printable.Name)
}

// withoutReason removes the reason why ebb set no clock, which the run's first lines said.
func withoutReason(line, reason string) string {
	if reason == "" {
		return line
	}
	return strings.Replace(line, " ("+reason+")", "", 1)
}

// slower returns the time that clock and ebb cost, each apart, and the time that was allowed.
func (r *Report) slower() string {
	goal := "for the least energy of the whole machine"
	switch r.Objective {
	case "slowdown":
		goal = "of a budget of " + printable.Percent(r.SlowdownBudget)
	case "fixed":
		goal = "at " + units.Frequency(r.FixedHz).Text() + " all the time"
	}
	if r.Actuator == "shadow" {
		goal += ", had ebb set the clock"
	}
	return fmt.Sprintf("%s %s: %s by the clock, %s by ebb itself",
		printable.Percent(r.SlowdownTotal), goal, printable.Percent(r.SlowdownPredicted),
		printable.Percent(r.SlowdownOwn))
}

// briefEnergy returns the sum of the meters, or of the model, beside that at the highest clock; ""
// where nothing is known.
func (r *Report) briefEnergy() string {
	const highest = " than at the highest clock"
	if m := r.meteredTotal(); m.used > 0 {
		change := ""
		if m.top > 0 && !r.TooShort() {
			change = ": " + changed(saved(m.used, m.top), saved(m.used, m.lo),
				saved(m.used, m.hi)) + highest
		}
		return fmt.Sprintf("%v by the meters, of all that ran%s", units.Energy(m.used), change)
	}
	if used, top := r.modelled(); used > 0 {
		said := fmt.Sprintf("%v of %s by the model %s", units.Energy(used), r.of(), r.model())
		if r.TooShort() {
			return said
		}
		change := saved(used, top)
		return said + ": " + changed(change, change, change) + highest
	}
	var parts []string
	if used, top := r.reference(); top > 0 && !r.TooShort() {
		change := saved(used, top)
		parts = append(parts, fmt.Sprintf("%s%s on the reference processor (%s)",
			changed(change, change, change), highest, r.model()))
	}
	if s := r.WithoutJoules(); s != "" && r.Attribution != nil {
		parts = append(parts, s)
	}
	return strings.Join(parts, "; ")
}

// changed returns a saving with its interval, or a loss: "2.1 % less (1.3 to 2.8)".
func changed(saved, lo, hi float64) string {
	word := "less"
	if saved <= -unseen {
		saved, lo, hi, word = -saved, -hi, -lo, "more"
	}
	s := printable.Percent(saved) + " " + word
	if lo < hi {
		s += fmt.Sprintf(" (%s)", printable.Between(lo, hi))
	}
	return s
}

// briefPower returns the machine's power where no meter of its processors shows it; "" where one
// does, or nothing is known.
func (r *Report) briefPower() string {
	wall := time.Duration(r.WallNS)
	switch {
	case len(r.MachineMeters) > 0:
		return r.MachineMeters[0].line(wall)
	case r.Power != nil:
		return r.Power.brief(wall)
	}
	return ""
}

// briefTime returns the time that the program took, and the clock meanwhile.
func (r *Report) briefTime() string {
	s := printable.Duration(time.Duration(r.WallNS))
	if clock := r.meanClock(); clock > 0 {
		at := "at"
		if r.Actuator == "shadow" {
			at = "ebb would have set"
		}
		s += fmt.Sprintf("; %s %.1f GHz in the mean", at, clock/1e9)
		if lowest, highest := r.clocks(); lowest < highest {
			s += fmt.Sprintf(" (%.1f to %.1f)", float64(lowest)/1e9, float64(highest)/1e9)
		}
	}
	return s + "; no thread ran for " + r.idle()
}

// idle returns the part of the time in which no thread ran; as a time where the run is too short
// for percents.
func (r *Report) idle() string {
	if r.TooShort() {
		return printable.Duration(time.Duration(r.IdleNS))
	}
	return printable.Percent(share(r.IdleNS, r.ProfiledNS))
}

// clocks returns the lowest and the highest frequency that were in effect.
func (r *Report) clocks() (lowest, highest int64) {
	for _, f := range r.Frequencies {
		if f.TimeNS <= 0 {
			continue
		}
		if lowest == 0 {
			lowest = f.FreqHz
		}
		highest = f.FreqHz
	}
	return lowest, highest
}

// costLine returns ebb's own use of the machine.
func (r *Report) costLine() string {
	return fmt.Sprintf("%s; %s; %s lost", r.ownTime(false), mebibytes(r.OwnRSSBytes),
		printable.Count(int64(r.LostRecords), "record"))
}

// warnings writes the refusals and warnings in one row: each of them, or the first and the number
// of the others.
func (b *brief) warnings(r *Report) {
	all := append(append([]string{}, r.Refusals...), r.Warnings...)
	if len(all) == 0 {
		return
	}
	name := b.label("warning")
	name = strings.Replace(name, "warning", b.look.Doubtful("warning"), 1)
	for i, s := range all {
		if rest := len(all) - 1; i == 0 && rest > 0 && !b.look.All {
			s += "; " + printable.Count(rest, "more warning")
		}
		b.lines(name, s, printable.Name)
		if !b.look.All {
			return
		}
		name = b.label("")
	}
}

// better writes what would make it better, the number of things that this machine lacks, and where
// there is more to read.
func (b *brief) better(r *Report) {
	const more = "-v prints all"
	var own []string
	lacks := 0
	if r.Verdict != nil {
		own, lacks = r.Verdict.OfRun()
	}
	if lacks > 0 {
		thing := "thing"
		if len(own) > 0 {
			thing = "more thing"
		}
		own = append(own, printable.Count(lacks, thing)+" would make this better: ebb doctor")
	}
	if len(own) == 0 {
		b.row("more", more)
		return
	}
	b.row("better", strings.Join(append(own, more), "; "))
}

// row writes a sentence behind its label.
func (b *brief) row(name, text string) { b.lines(b.label(name), text, printable.Name) }

func (b *brief) label(name string) string { return fmt.Sprintf("  %-*s ", briefLabel-3, name) }

// lines writes a text behind a label, broken below itself. show gives the first line its form.
func (b *brief) lines(label, text string, show func(string) string) {
	indent := briefLabel
	if strings.HasPrefix(label, "ebb") {
		indent = headLabel
	}
	for i, line := range b.look.Wrap(text, b.look.Width-max(indent, len(label))) {
		if i > 0 {
			label, show = strings.Repeat(" ", indent), printable.Name
		}
		fmt.Fprintf(b.w, "%s%s\n", label, show(line))
	}
}
