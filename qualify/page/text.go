// Package page shows a qualification: as text on a terminal, and as a page of HTML that needs
// nothing else. The result may be anybody's, so it is only shown.
package page

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/printable"
	"github.com/ebb-energy/ebb/qualify"
)

// Text writes the verdict and its checks for a terminal.
func Text(w io.Writer, r *qualify.Result) error {
	var b strings.Builder
	v := &r.Verdict
	printable.Fprintf(&b, "%s\n  because %s\n", strings.ToUpper(string(v.Answer)), v.Sentence)
	if r.Interrupted {
		b.WriteString("  It was interrupted: this is what was finished.\n")
	}
	step := 0
	for _, c := range v.Checks {
		if c.Step != step {
			step = c.Step
			fmt.Fprintf(&b, "\n%d  %s\n", step, title(step))
		}
		printable.Fprintf(&b, "   %-7s %s\n           %s\n", mark(c.Answer), c.Question, c.Found)
		if c.Threshold != "" && c.Answer != qualify.Believe {
			printable.Fprintf(&b, "           threshold: %s\n", c.Threshold)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mark is an answer in a word.
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

// Plan writes what will be done, with minutes.
func Plan(w io.Writer, p *qualify.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "This takes about %s. Leave the machine alone meanwhile; Ctrl-C ends it, and\n"+
		"keeps what is finished. Every setting goes back to what it was.\n", span(p.Whole()))
	for _, n := range p.Asked {
		fmt.Fprintf(&b, "  %d  %-46s %s\n", n, title(n), span(p.Time(n)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// span is a time for people, in minutes from two of them on.
func span(d time.Duration) string {
	if d < 2*time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.0f min", d.Minutes())
}
