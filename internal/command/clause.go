package command

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// Clause shortens a sentence to a width, in characters. It keeps the first clauses where one ends
// behind half of the width. Otherwise it cuts anywhere, with an ellipsis.
func Clause(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	head := string([]rune(text)[:max(width, 1)])
	best := 0
	for _, end := range []string{"; ", ": ", ", ", " ("} {
		if i := strings.LastIndex(head, end); strings.Count(head[:max(i, 0)], "(") ==
			strings.Count(head[:max(i, 0)], ")") {
			best = max(best, i)
		}
	}
	if 2*best >= width {
		return head[:best]
	}
	return string([]rune(head)[:max(width-1, 0)]) + "…"
}

// Colour is a colour of text on a terminal.
type Colour string

// The colours of answers, from the terminal's own palette, so that they are readable on any
// background.
const (
	Green  Colour = "32"
	Yellow Colour = "33"
	Red    Colour = "31"
)

// Painter returns a function that colours text for w, where w is a terminal that knows colours and
// the user has not set NO_COLOR (https://no-color.org). Elsewhere the function changes nothing.
func Painter(w io.Writer) func(Colour, string) string {
	if _, terminal := terminalColumns(w); !terminal || plain() || os.Getenv("NO_COLOR") != "" {
		return func(_ Colour, text string) string { return text }
	}
	return func(c Colour, text string) string {
		return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
	}
}
