package profile

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Slice is one method with its callers and callees (Chappie, Figure 12). Every stack that has the
// method counts once in Callers and once in Callees, by the innermost of its calls: each list adds
// up to Energy.
type Slice struct {
	Method string  `json:"method"`
	Energy int64   `json:"energy_nj"`     // energy with all that it called
	Own    int64   `json:"own_energy_nj"` // its own energy, with the library code that it called
	Share  float64 `json:"share"`         // share of Energy in the attributed energy
	// Callers are by context, the two methods before it. It is among them where it calls itself.
	Callers []Row `json:"callers"`
	Callees []Row `json:"callees"`
}

// Units of a slice's rows without a method.
const (
	itself   = "[itself]"
	noMethod = "[no caller]"
	cutShort = "[caller not known]"
)

// contextOf is the number of callers that Figure 12 shows.
const contextOf = 2

// Slice finds a method by its name, or by the end of it behind a dot, a colon or a slash, and
// divides its energy by a rule. The profile that it returns has the stacks with the method alone.
// Library is as in NewView.
func (p *Profile) Slice(method string, library []string, rule int) (*Slice, *Profile, error) {
	if err := p.Shows("method"); err != nil {
		return nil, nil, err
	}
	v, err := NewView(p, "method", library)
	if err != nil {
		return nil, nil, err
	}
	if rule < 0 || rule >= len(p.Rules) {
		return nil, nil, fmt.Errorf("no rule %d", rule)
	}
	name, err := v.named(method)
	if err != nil {
		return nil, nil, err
	}
	part := *p
	part.Stacks, part.Network = nil, nil
	var all int64
	for i := range p.Stacks {
		s := &p.Stacks[i]
		all += s.EnergyNJ[rule]
		if slices.Contains(v.methods(s), name) {
			part.Stacks = append(part.Stacks, *s)
		}
	}
	out := &Slice{Method: name}
	rows := func(by string) []Row {
		w := *v
		w.by, w.method, w.profile = by, name, &part
		return part.Rows(&w, rule)
	}
	out.Callers, out.Callees = rows(byCaller), rows(byCallee)
	out.Energy = sum(out.Callees)
	for i := range out.Callees {
		if out.Callees[i].Unit == itself {
			out.Own = out.Callees[i].Energy
		}
	}
	out.Share = share(out.Energy, all)
	return out, &part, nil
}

// Views of a slice. They are not among Views: they need the method.
const byCaller, byCallee = "caller", "callee"

// methods returns the names of a stack's application frames, the innermost first.
func (v *View) methods(s *Stack) (names []string) {
	for _, i := range s.Frames {
		if f := &v.profile.Frames[i]; v.isApplication(f) {
			names = append(names, nameOf(f))
		}
	}
	return names
}

// named returns the whole name of a method.
func (v *View) named(method string) (string, error) {
	if method == "" {
		return "", fmt.Errorf("a method without a name")
	}
	var found []string
	for i := range v.profile.Frames {
		f := &v.profile.Frames[i]
		if !v.isApplication(f) {
			continue
		}
		name := nameOf(f)
		if name == method || f.Name == method {
			return name, nil
		}
		if before, ok := strings.CutSuffix(name, method); ok && !slices.Contains(found, name) &&
			strings.ContainsAny(before[len(before)-1:], ".:/") {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no method %q of the application was seen", method)
	case 1:
		return found[0], nil
	}
	slices.Sort(found)
	return "", fmt.Errorf("%q is the end of %d methods' names: %s", method, len(found),
		printable.Name(strings.Join(found[:min(len(found), 5)], ", ")))
}

// around returns the unit of a stack by the method's callers or by what it called.
func (v *View) around(s *Stack) string {
	names := v.methods(s)
	at := slices.Index(names, v.method)
	switch {
	case v.by == byCallee && at > 0:
		return names[at-1]
	case v.by == byCallee && v.application(s) == nil:
		return v.outside(s) // the method that it called is not known
	case v.by == byCallee:
		return itself
	case at+1 < len(names):
		return strings.Join(names[at+1:min(at+1+contextOf, len(names))], " < ")
	case s.Cut || s.Kept > 0:
		return cutShort
	}
	return noMethod
}

// WriteText prints the slice's first rows on a page of a width. Top 0 is all rows.
func (s *Slice) WriteText(w io.Writer, p *Profile, rule, top, width int) error {
	t := printable.Lines{W: w}
	a := p.Amounts()
	own := a.Column(s.Energy)
	t.Line("%s: %s with all that it called, %s of what the rule %s attributes; %s its own",
		cut(s.Method), own(s.Energy), printable.ShortPercent(s.Share), p.Rules[rule], own(s.Own))
	for _, part := range []struct {
		title string
		rows  []Row
	}{{"called by", s.Callers}, {"calls", s.Callees}} {
		t.Line("")
		c := printable.Table{Name: part.title, Columns: sliceColumns(a)}
		amount := a.inOneUnit(part.rows)
		for i := range part.rows {
			r := &part.rows[i]
			cells := []string{amount(r.Energy), printable.ShortPercent(r.Share), r.interval(),
				printable.Seconds(r.TimeNS), fmt.Sprintf("%.1f", r.Watts)}[:len(c.Columns)-1]
			if top > 0 && i == top {
				c.Row(fmt.Sprintf("(%d more)", len(part.rows)-i), amount(sum(part.rows[i:])),
					printable.ShortPercent(share(sum(part.rows[i:]), s.Energy)))
				break
			}
			c.Row(printable.Name(r.Unit), append(cells, fmt.Sprint(r.Samples))...)
		}
		if t.Err == nil {
			t.Err = c.Write(w, width)
		}
	}
	return t.Err
}

// sliceColumns returns the columns of callers and callees. CPU time has no power, and stands once.
func sliceColumns(a Amounts) []printable.Column {
	out := []printable.Column{{Title: a.Name(), Weight: 9}, {Title: "share", Weight: 8},
		{Title: "95% interval", Weight: 7}}
	if a.Joules() {
		out = append(out, printable.Column{Title: "CPU time", Weight: 6},
			printable.Column{Title: "watts", Weight: 4})
	}
	return append(out, printable.Column{Title: "samples", Weight: 2})
}

// Rows returns the callers and, below them, the callees, for a page with one table.
func (s *Slice) Rows() []Row {
	out := make([]Row, 0, len(s.Callers)+len(s.Callees))
	for _, r := range s.Callers {
		r.Unit = "called by " + r.Unit
		out = append(out, r)
	}
	for _, r := range s.Callees {
		r.Unit = "calls " + r.Unit
		out = append(out, r)
	}
	return out
}
