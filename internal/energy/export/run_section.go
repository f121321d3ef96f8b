package export

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

//go:embed run.tmpl
var runText string

// runSection has the values that the page's first section shows.
type runSection struct {
	Answer, Rest string   // the verdict, cut behind its answer
	Better       string   // the first piece of advice
	Others       []string // the other pieces of advice
	Lines        []runLine
	Threads      template.HTML
	Savings      []savingLine
	Warnings     []string
}

type runLine struct {
	Name  string
	Texts []string
}

type savingLine struct{ Zone, Used, Highest, Saved, Interval, Source string }

// section returns what the page's first section shows of the run.
func (r *Run) section() runSection {
	s := runSection{Lines: r.lines(), Threads: r.bar(), Warnings: shown(r.Warnings)}
	if better := shown(r.Better); len(better) > 0 {
		s.Better, s.Others = better[0], better[1:]
	}
	s.Rest = printable.Name(r.Verdict)
	if rest, ok := strings.CutPrefix(r.Verdict, r.Answer); ok {
		s.Answer, s.Rest = printable.Name(r.Answer), printable.Name(rest)
	}
	for i := range r.Savings {
		s.Savings = append(s.Savings, r.Savings[i].line())
	}
	return s
}

// lines returns the rows of the run's table.
func (r *Run) lines() (lines []runLine) {
	add := func(name string, texts ...string) {
		if text := strings.Join(texts, ""); text != "" {
			lines = append(lines, runLine{name, shown(texts)})
		}
	}
	add("command", r.Command)
	add("date", r.Date)
	add("machine", strings.Join(r.Host, ", "))
	add("clock", r.Clock...)
	if r.ExitStatus != nil {
		add("exit status", fmt.Sprint(*r.ExitStatus))
	}
	add("time", r.times()...)
	if r.Slowdown != nil {
		add("slowdown", r.Slowdown.line())
	}
	add("power", r.Power...)
	add("energy", r.Energy...)
	if l := r.Records; l != nil {
		add("lost", fmt.Sprintf("%s; quanta: %d with holes, %d late",
			printable.Count(int64(l.Lost), "record"), l.Holes, l.Late))
	}
	return lines
}

// times returns the run's time, and that of its threads.
func (r *Run) times() (texts []string) {
	if r.Wall > 0 {
		text := printable.Seconds(int64(r.Wall))
		if r.Idle != nil {
			text += ", no thread ran for " + printable.Percent(*r.Idle)
		}
		texts = append(texts, text)
	}
	var parts []string
	for _, p := range r.Threads {
		parts = append(parts, printable.Seconds(int64(p.Time))+" "+p.Name)
	}
	if len(parts) > 0 {
		texts = append(texts, "all threads together: "+strings.Join(parts, ", "))
	}
	return texts
}

// bar draws the parts of the threads' time; nothing if there are none.
func (r *Run) bar() template.HTML {
	b := chart.Parts{Title: "The threads' time", Width: narrow}
	var desc []string
	whole := time.Duration(0)
	for _, p := range r.Threads {
		amount := printable.Seconds(int64(p.Time))
		b.Parts = append(b.Parts, chart.Part{Name: p.Name, Value: float64(p.Time),
			Amount: amount, Colour: p.Colour})
		desc, whole = append(desc, p.Name+" "+amount), whole+max(p.Time, 0)
	}
	if whole <= 0 || r.Short {
		return ""
	}
	b.Desc = strings.Join(desc, ", ")
	return chart.FigureHTML(b)
}

func (s *Slowdown) line() string {
	text := printable.Percent(s.ByClock) + " by the clock"
	if s.ByEbb != nil {
		text += ", " + printable.Percent(*s.ByEbb) + " by ebb itself"
	}
	if s.Together != nil {
		text += ", " + printable.Percent(*s.Together) + " together"
	}
	text += "; " + s.Goal
	if s.Budget != nil {
		text += " " + printable.Percent(*s.Budget)
	}
	return text
}

// unknown stands in a table for a value that is not known.
const unknown = "not known"

func (s *Saving) line() savingLine {
	l := savingLine{Zone: printable.Name(s.Zone), Source: printable.Name(s.Source),
		Used: s.Used.String(), Highest: unknown, Saved: unknown, Interval: unknown}
	if s.Highest <= 0 {
		return l
	}
	l.Highest, l.Saved = s.Highest.String(), printable.Percent(s.saved(s.Highest))
	if s.Low > 0 && s.High > 0 {
		l.Interval = printable.Percent(s.saved(s.Low)) + " to " + printable.Percent(s.saved(s.High))
	}
	return l
}

// saved returns the share of highest that was saved. A share that rounds to 0 has no sign.
func (s *Saving) saved(highest units.Energy) float64 {
	v := 1 - float64(s.Used)/float64(highest)
	if math.Abs(v) < 0.0005 {
		return 0
	}
	return v
}
