package bench

import (
	"io"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// printer prints on a page of a given width and keeps the first error of many prints.
type printer struct {
	w     io.Writer
	width int
	err   error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = printable.Fprintf(p.w, format, args...)
	}
}

// line prints a text. Lines that do not fit continue below, further in.
func (p *printer) line(indent, text string) {
	const further = 2
	for i, part := range command.Wrap(text, p.width-len(indent)-further) {
		p.printf("%s%s\n", indent, part)
		if i == 0 {
			indent += strings.Repeat(" ", further)
		}
	}
}

func (p *printer) sentences(all []sentence) {
	for _, s := range all {
		indent := "  "
		if s.Sub {
			indent = "    "
		}
		p.line(indent, s.Text)
	}
}
