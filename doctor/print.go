package doctor

import (
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/printable"
)

// indent is where the details of the page begin.
const indent = 23

// Print writes the findings as a table whose lines fit the page.
func Print(w io.Writer, findings []Finding) error {
	width := command.PageWidth(w) - indent
	var b strings.Builder
	for _, f := range findings {
		lines := command.Wrap(f.Detail, width)
		if f.Advice != "" {
			lines = append(lines, command.Wrap("-> "+f.Advice, width)...)
		}
		what, state := f.What, f.State
		for _, line := range lines {
			printable.Fprintf(&b, "%-13s %-8s %s\n", what, state, line)
			what, state = "", ""
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
