package bench

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/ebb-energy/ebb/internal/printable"
)

// printer keeps the first error of many prints.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = printable.Fprintf(p.w, format, args...)
	}
}

func (p *printer) sentences(all []sentence) {
	for _, s := range all {
		indent := "  "
		if s.Sub {
			indent = "    "
		}
		p.printf("%s%s\n", indent, s.Text)
	}
}

// table prints rows in columns: the first and the last to the left, the others to the right.
func (p *printer) table(rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(c))
			switch i {
			case 0:
				line.WriteString(c + pad)
			case len(row) - 1:
				line.WriteString("  " + c)
			default:
				line.WriteString("  " + pad + c)
			}
		}
		p.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}
