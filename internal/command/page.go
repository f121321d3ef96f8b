package command

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// narrowest is the narrowest page, in characters, that text is fitted to.
const narrowest = 46

// PageWidth is the maximum length of a line on w: the terminal's width. Elsewhere there is no
// limit, so that a search in the output finds whole sentences.
func PageWidth(w io.Writer) int {
	if columns, ok := terminalColumns(w); ok {
		return max(columns, narrowest)
	}
	return math.MaxInt
}

// terminalColumns is the width of the terminal w; false if w is no terminal.
func terminalColumns(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}

// Wrap breaks text into lines of at most width bytes. The last line has at least three words.
func Wrap(text string, width int) []string {
	var lines [][]string
	length := 0
	for _, word := range strings.Fields(text) {
		if length += 1 + len(word); length > width || lines == nil {
			lines = append(lines, nil)
			length = len(word)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], word)
	}
	if n := len(lines); n > 1 {
		for last := &lines[n-1]; len(*last) < 3 && len(lines[n-2]) > 3; {
			from := &lines[n-2]
			end := len(*from) - 1
			*last = append([]string{(*from)[end]}, *last...)
			*from = (*from)[:end]
		}
	}
	out := make([]string, len(lines))
	for i, words := range lines {
		out[i] = strings.Join(words, " ")
	}
	return out
}

// Fit prints text whose lines have labels of the given width, and breaks lines that are longer than
// the page. A broken line continues in the column after the label. Lines without indentation
// (headlines) and bars stay as they are.
func Fit(w io.Writer, text string, label, width int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) <= width || !strings.HasPrefix(line, "  ") || len(line) <= label ||
			strings.HasSuffix(line, "#") {
			fmt.Fprintln(w, line)
			continue
		}
		head := line[:label]
		for _, part := range Wrap(line[label:], width-label) {
			fmt.Fprintln(w, head+part)
			head = strings.Repeat(" ", label)
		}
	}
}
