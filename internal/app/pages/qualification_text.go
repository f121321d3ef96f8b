package pages

import (
	"fmt"
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// QualificationLabel is the width of the label before the sentences of a text.
const QualificationLabel = 11

// QualificationText writes the verdict and its checks for a terminal, a sentence a line.
func QualificationText(w io.Writer, r *qualify.Result) error {
	var b strings.Builder
	v := &r.Verdict
	printable.Fprintf(&b, "%s\n  because  %s\n", strings.ToUpper(string(v.Answer)), v.Sentence)
	if r.Interrupted {
		b.WriteString("           It was interrupted: this is what was finished.\n")
	}
	step, said := 0, map[string]int{}
	for _, c := range v.Checks {
		number := " "
		if c.Step != step {
			step, number = c.Step, fmt.Sprint(c.Step)
			b.WriteByte('\n')
		}
		printable.Fprintf(&b, "  %s %-6s %s\n", number, mark(c.Answer), c.Question)
		found := c.Found
		if n := said[found]; n > 0 && n != step {
			found = fmt.Sprintf("as step %d", n)
		} else if c.Answer == qualify.Open {
			said[found] = step
		}
		printable.Fprintf(&b, "           %s\n", found)
		if c.Threshold != "" && c.Answer != qualify.Believe {
			printable.Fprintf(&b, "           threshold: %s\n", c.Threshold)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mark returns an answer as a word.
func mark(a qualify.Answer) string {
	switch a {
	case qualify.Believe:
		return "yes"
	case qualify.Within:
		return "limit"
	case qualify.Not:
		return "NO"
	}
	return "?"
}

func title(step int) string {
	if step < 1 || step > qualify.Steps {
		return ""
	}
	return qualify.Titles[step]
}

// QualificationPlan writes the steps to come, with their minutes.
func QualificationPlan(w io.Writer, p *qualify.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "This takes about %s. Leave the machine alone meanwhile; Ctrl-C ends it, and\n"+
		"keeps what is finished. Every setting goes back to what it was.\n",
		qualify.Span(p.Whole()))
	for _, n := range p.Asked {
		fmt.Fprintf(&b, "  %d  %-46s %s\n", n, title(n), qualify.Span(p.Time(n)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
