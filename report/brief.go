package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/ladder"
	"github.com/ebb-energy/ebb/units"
	"github.com/ebb-energy/ebb/verdict"
)

// Look has what a summary needs of a terminal.
type Look struct {
	Width int // of a line, in characters
	// Shorten cuts a sentence to a width; Good, Bad and Doubtful colour an answer.
	Shorten             func(text string, width int) string
	Good, Bad, Doubtful func(string) string
}

// briefLabel is the width of a brief summary's labels.
const briefLabel = 10

// brief writes the lines of a brief summary.
type brief struct {
	w    io.Writer
	look *Look
}

// WriteBrief prints the verdict and the figures that it rests on: at most ten lines, none longer
// than a line of the terminal, and what --network and --functions were asked for.
func (r *Report) WriteBrief(w io.Writer, look *Look) {
	b := brief{w, look}
	b.answer(r)
	b.slowdown(r)
	if v := r.Verdict; v != nil && v.BelowW != nil {
		b.figure("stands", *v.BelowW, "W", "while everything else draws less than this")
	}
	b.energy(r)
	idle := printable.Percent(share(r.IdleNS, r.ProfiledNS))
	b.figure("time", time.Duration(r.WallNS).Seconds(), "s", "no thread ran for "+idle+" of it")
	b.clock(r)
	b.figure("ebb", time.Duration(r.OwnStartCPUNS).Seconds(), "s", fmt.Sprintf(
		"of CPU to start, then %s; %s; %s lost",
		printable.Percent(share(r.OwnCPUNS-r.OwnStartCPUNS, r.WallNS)), mebibytes(r.OwnRSSBytes),
		printable.Count(int64(r.LostRecords), "record")))
	b.sentences(r)
	text := func(name, format string, args ...any) { b.text(name, fmt.Sprintf(format, args...)) }
	r.networkLines(text)
	r.functionLines(text)
}

// answer writes the verdict's first clauses, its answer in colour.
func (b *brief) answer(r *Report) {
	line := r.headline()
	if r.Verdict == nil {
		printable.Fprintf(b.w, "ebb: %s\n", b.look.Shorten(line, b.look.Width-len("ebb: ")))
		return
	}
	room := b.look.Width - len("ebb: ")
	line = r.Verdict.Line
	if utf8.RuneCountInString(line) > room {
		line = withoutReason(line)
	}
	line = b.look.Shorten(line, room)
	word := string(r.Verdict.Answer)
	paint := map[verdict.Answer]func(string) string{verdict.Worth: b.look.Good,
		verdict.Not: b.look.Bad, verdict.Unknown: b.look.Doubtful}[r.Verdict.Answer]
	rest, begins := strings.CutPrefix(line, word)
	if paint == nil || !begins {
		word, rest, paint = "", line, func(s string) string { return s }
	}
	fmt.Fprintf(b.w, "ebb: %s", paint(word))
	printable.Fprintf(b.w, "%s\n", rest)
}

// withoutReason leaves out why ebb set no clock, which the run's first lines said: a narrow line
// would keep the reason, and not what ebb would have saved by the model.
func withoutReason(line string) string {
	begin := strings.Index(line, " (")
	for _, words := range []string{verdict.Expects, verdict.NoModel} {
		if end := strings.Index(line, "); "+words); 0 < begin && begin < end {
			return line[:begin] + line[end+len(")"):]
		}
	}
	return line
}

// slowdown writes the time that clock and ebb cost. ebb's own part is first: a narrow line keeps
// it, and without it the clock would seem to cost it all.
func (b *brief) slowdown(r *Report) {
	goal := "for the least energy of the whole machine"
	switch r.Objective {
	case "slowdown":
		goal = "budget " + printable.Percent(r.SlowdownBudget)
	case "fixed":
		goal = "at " + units.Frequency(r.FixedHz).String() + " all the time"
	}
	if r.Actuator == "shadow" {
		goal += "; had it set the clock"
	}
	b.figure("slower", 100*r.SlowdownTotal, "%",
		fmt.Sprintf("%s by ebb itself; %s", printable.Percent(r.SlowdownOwn), goal))
}

// energy writes the meters' sum, or what the model says.
func (b *brief) energy(r *Report) {
	m := r.metered()
	used, top, source := m.used, m.top, "of all that ran, by the meters"
	if used == 0 {
		used, top = r.modelled()
		source = "by the model"
	}
	if used == 0 {
		return
	}
	b.figure("energy", float64(used)/1e9, "J",
		fmt.Sprintf("%s; %.1f J at the highest clock", source, float64(top)/1e9))
}

func (b *brief) clock(r *Report) {
	var cycles float64
	var all, most int64
	var lowest, highest, often float64
	for _, f := range r.Frequencies {
		if f.TimeNS <= 0 {
			continue
		}
		ghz := float64(f.FreqHz) / 1e9
		if all == 0 {
			lowest = ghz
		}
		if highest = ghz; f.TimeNS > most {
			most, often = f.TimeNS, ghz
		}
		cycles, all = cycles+ghz*float64(f.TimeNS), all+f.TimeNS
	}
	if all == 0 {
		return
	}
	text := "all the time"
	if lowest < highest {
		text = fmt.Sprintf("%.1f to %.1f GHz; mostly %.1f GHz, %s of the time", lowest, highest,
			often, printable.Percent(share(most, all)))
	}
	b.figure("clock", cycles/float64(all), "GHz", text)
}

// sentences writes what would be better, the first warning, and where there is more.
func (b *brief) sentences(r *Report) {
	if p := r.Power; p != nil && p.Taken != ladder.None && p.Taken != ladder.Meter {
		b.text("power", ladder.Sentence(p.Ladder, p.Taken))
	}
	if v := r.Verdict; v != nil && len(v.Better) > 0 {
		b.text("better", v.Better[0])
	}
	warnings := append(append([]string{}, r.Refusals...), r.Warnings...)
	if len(warnings) > 0 {
		b.text("warning", warnings[0])
	}
	more := "-v prints all, --report FILE keeps it"
	if n := len(warnings) - 1; n > 0 {
		more = printable.Count(n, "more warning") + "; " + more
	}
	b.text("more", more)
}

// figure writes a figure in its column, to a tenth, and what it is.
func (b *brief) figure(name string, value float64, unit, text string) {
	if math.Abs(value) < 0.05 {
		value = 0 // without a sign
	}
	b.line(name, fmt.Sprintf("%9.1f %-3s", value, unit), text)
}

// text writes a sentence without a figure.
func (b *brief) text(name, text string) { b.line(name, "", text) }

func (b *brief) line(name, value, text string) {
	room := b.look.Width - briefLabel
	if value != "" {
		value += "  "
		room -= len(value)
	}
	label := fmt.Sprintf("  %-*s", briefLabel-2, name)
	if name == "warning" {
		label = "  " + b.look.Doubtful(name) + label[2+len(name):]
	}
	fmt.Fprint(b.w, label, value)
	printable.Fprintf(b.w, "%s\n", b.look.Shorten(text, room))
}
