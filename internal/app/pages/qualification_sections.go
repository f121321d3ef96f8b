package pages

import (
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

func sectionOf(r *qualify.Result, s *qualify.Step) section {
	out := section{ID: fmt.Sprintf("step%d", s.Number),
		Title: fmt.Sprintf("%d. %s", s.Number, title(s.Number)), State: stateOf(s),
		Checks: checksOf(r, s.Number), Missing: s.Missing}
	if s.Number >= 1 && s.Number <= qualify.Steps {
		out.Why = sentence(qualify.Why[s.Number])
	}
	switch {
	case s.There != nil:
		out.there(s.There)
		out.fact("throttling", counted(s.Throttled))
	case s.Requests != nil:
		out.requests(s.Requests)
	case s.Counters != nil:
		out.counters(s.Counters)
	case s.Meters != nil:
		out.meters(s.Meters)
	case s.Predictions != nil:
		out.predictions(s.Predictions)
	case len(s.Comparisons) > 0:
		for i := range s.Comparisons {
			out.comparison(&s.Comparisons[i])
		}
	case s.Killed != nil:
		k := s.Killed
		out.fact("killed while it governed", yes(k.Governing))
		out.fact("all back after", ms(k.BackNS))
		out.fact("put back by", k.By)
	}
	return out
}

// sentence returns text with a capital at its begin. The name ebb has none.
func sentence(text string) string {
	if text == "" || strings.HasPrefix(text, "ebb ") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func stateOf(s *qualify.Step) string {
	text := sentence(string(s.State))
	if s.State == qualify.Finished || s.State == qualify.Failed {
		text += fmt.Sprintf(" after %.1f s", s.Took().Seconds())
	}
	if s.Absence != "" {
		text += ", " + string(s.Absence)
	}
	if s.Because != "" {
		text += ": " + s.Because
	}
	if s.Throttled.Any() {
		text += ". The hardware held the clock back meanwhile"
	}
	return text
}

func (s *section) fact(name, value string) {
	if value != "" {
		s.Facts = append(s.Facts, [2]string{name, value})
	}
}

func (s *section) figure(f chart.Figure) {
	s.Figures = append(s.Figures, chart.FigureHTML(f))
}

// counted says whether the machine's counts would show throttling.
func counted(t qualify.Throttled) string {
	if t.Known {
		return "heat and power limits are counted by the kernel, and compared with each step"
	}
	return "this machine counts none: only the kernel's own cooling devices would show"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func ms(ns int64) string { return fmt.Sprintf("%.2f ms", float64(ns)/1e6) }

func ghz(hz int64) string {
	if hz == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g GHz", float64(hz)/1e9)
}

func (s *section) there(t *qualify.There) {
	supply := t.Supply
	if supply == "" {
		supply = "the machine does not say"
	}
	s.fact("runs on", supply)
	s.fact("turbo", t.Turbo)
	// The kernel writes on, off, forceoff, notsupported or notimplemented.
	s.fact("SMT", strings.Replace(t.SMT, "not", "not ", 1))
	s.fact("idle states", strings.Join(t.Idle, ", "))
	s.fact("others that set clocks", strings.Join(t.Rivals, ", "))
	if len(t.Domains) > 0 {
		d := table{Head: []string{"domain", "CPUs", "driver", "governor", "lowest", "highest",
			"states"}}
		for _, x := range t.Domains {
			d.Rows = append(d.Rows, []string{fmt.Sprintf("policy%d", x.ID), fmt.Sprint(x.CPUs),
				x.Driver, x.Governor, ghz(x.MinHz), ghz(x.MaxHz), fmt.Sprint(x.States)})
		}
		s.Tables = append(s.Tables, d)
	}
	f := table{Text: true, Head: []string{"ebb doctor", "state", "found"}}
	for _, x := range t.Findings {
		f.Rows = append(f.Rows, []string{x.What, x.State, x.Detail})
	}
	s.Tables = append(s.Tables, f)
}

func (s *section) requests(q *qualify.Requests) {
	s.fact("actuator", q.Actuator+": "+q.Reason)
	s.fact("speed", fmt.Sprintf("%.2f to 1 where %.2f to 1 was asked for, by %s", q.Ratio, q.Asked,
		q.Source))
	if q.Settled > 0 {
		s.fact("from a request to the clock", fmt.Sprintf("%s (half), %s (99 of 100), "+
			"%s, %d missed", ms(q.P50NS), ms(q.P99NS), printable.Count(q.Settled, "request"),
			q.Missed))
	}
	s.fact("trouble", q.Trouble)
	if w := q.Warm; w != nil {
		s.fact("warm-up", fmt.Sprintf("%.1f W to %.1f W in %.1f s, flat: %s", w.FirstW, w.LastW,
			float64(w.TookNS)/1e9, yes(w.Flat)))
	}
	if len(q.Domains) > 0 {
		t := table{Head: []string{"domain", "speed ratio", "asked", "moves with"}}
		for _, d := range q.Domains {
			with := fmt.Sprintf("none of %d", d.Tried)
			if len(d.With) > 0 {
				with = fmt.Sprint(d.With)
			}
			t.Rows = append(t.Rows, []string{fmt.Sprintf("policy%d", d.ID),
				fmt.Sprintf("%.2f", d.Ratio), fmt.Sprintf("%.2f", d.Asked), with})
		}
		s.Tables = append(s.Tables, t)
	}
	if len(q.Busy) > 1 {
		t := table{Head: []string{"busy cores", "relative speed", "clock"}}
		for _, b := range q.Busy {
			t.Rows = append(t.Rows, []string{fmt.Sprint(b.Busy),
				fmt.Sprintf("%.3f", b.Relative), ghz(b.Hz)})
		}
		s.Tables = append(s.Tables, t)
	}
}

func (s *section) counters(c *qualify.Counters) {
	s.fact("counted", strings.Join(c.Counted, ", "))
	t := table{Head: []string{"program", "clock", "known instructions", "counted", "cycles",
		"running", "stalled"}}
	for _, p := range c.Programs {
		known, stalled := "-", "-"
		if p.Known > 0 {
			known = fmt.Sprint(p.Known)
		}
		if p.Stalled != nil {
			stalled = fmt.Sprintf("%.1f %%", 100**p.Stalled)
		}
		t.Rows = append(t.Rows, []string{p.Program, ghz(p.Hz), known, fmt.Sprint(p.Instructions),
			fmt.Sprint(p.Cycles), ms(p.RunNS), stalled})
	}
	s.Tables = append(s.Tables, t)
	if m := c.Memory; m != nil {
		s.fact("memory controllers", fmt.Sprintf("%s: %d lines of %d known; %.0f lines/s by others",
			m.Source, m.Read, m.Known, m.Background))
	}
}
