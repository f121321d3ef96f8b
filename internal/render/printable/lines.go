package printable

import (
	"fmt"
	"io"
	"strings"
)

// Lines prints lines and keeps the first error.
type Lines struct {
	W   io.Writer
	Err error
}

// Line prints a line. No name that a program chose ends it.
func (l *Lines) Line(format string, args ...any) {
	if l.Err == nil {
		_, l.Err = fmt.Fprintln(l.W, strings.TrimRight(Name(fmt.Sprintf(format, args...)), " "))
	}
}
