package doctor

import (
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
)

// indent is where the details of the page begin.
const indent = 23

// colours are those of the states on a terminal.
var colours = map[string]command.Colour{Good: command.Green, Warning: command.Yellow,
	Missing: command.Red}

// Print writes the findings as a table whose lines fit the page, and what to do next.
func Print(w io.Writer, findings []Finding) error {
	page := command.PageWidth(w)
	width, paint := page-indent, command.Painter(w)
	var b strings.Builder
	for _, f := range findings {
		lines := command.Wrap(f.Detail, width)
		if f.Advice != "" {
			lines = append(lines, command.Wrap("-> "+f.Advice, width)...)
		}
		for i, line := range lines {
			what, state := "", strings.Repeat(" ", 8)
			if i == 0 {
				what = f.What
				state = paint(colours[f.State], f.State) + state[len(f.State):]
			}
			printable.Fprintf(&b, "%-13s ", what)
			b.WriteString(state)
			printable.Fprintf(&b, " %s\n", line)
		}
	}
	b.WriteString("\n")
	for _, line := range command.Wrap("next: "+Next(findings), page) {
		printable.Fprintf(&b, "%s\n", line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
