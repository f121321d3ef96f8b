package command

import (
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// narrowest is the width of the narrowest page that text is fitted to, in characters. usual is that
// of a terminal that does not know its own.
const narrowest, usual = 40, 80

// PageWidth returns the maximum length of a table's line on w: the terminal's width. Elsewhere
// there is no limit, so that a row is one line for those who search the output.
func PageWidth(w io.Writer) int {
	if columns, ok := Terminal(w); ok {
		return columns
	}
	return math.MaxInt
}

// SentenceWidth returns the width at which sentences are broken on w: the terminal's, otherwise the
// usual one.
func SentenceWidth(w io.Writer) (width int, terminal bool) {
	if columns, ok := Terminal(w); ok {
		return columns, true
	}
	return usual, false
}

// Terminal returns the width of the terminal w that text is fitted to; false if w is no terminal.
func Terminal(w io.Writer) (int, bool) {
	columns, ok := terminalColumns(w)
	if columns == 0 { // the terminal does not know its width
		columns = usual
	}
	return max(columns, narrowest), ok
}

// terminalColumns returns the width of the terminal w; false if w is no terminal.
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

// number matches a number, which stays together with the next word: its unit or what it counts.
var number = regexp.MustCompile(`^[(+±-]*[0-9.,]*[0-9]$`)

// phrases returns the words of a text, a number together with the word behind it.
func phrases(text string) (out []string) {
	counts := false
	for _, word := range strings.Fields(text) {
		if counts {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
		counts = number.MatchString(word)
	}
	return out
}

// Wrap breaks text into lines of at most width bytes, but never a number from its unit. The last
// line has at least three words.
func Wrap(text string, width int) []string {
	var lines [][]string
	length := 0
	for _, word := range phrases(text) {
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

// FitTable prints labelled lines and, after the first empty line that follows one of them, a table.
// It breaks labelled lines that are longer than the page as Fit does. The last cell of a longer
// line of the table goes to a line of its own.
func FitTable(w io.Writer, text string, label, width int) error {
	var b strings.Builder
	labelled, table := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		table = table || labelled && line == ""
		isLabelled := len(line) > label && line[label-1] == ' ' && line[0] != ' ' && !table
		switch {
		case utf8.RuneCountInString(line) <= width:
		case isLabelled:
			head := line[:label]
			for _, part := range Wrap(line[label:], width-label) {
				b.WriteString(head + part + "\n")
				head = strings.Repeat(" ", label)
			}
			labelled = true
			continue
		case table:
			line = lastCellBelow(line, width)
		}
		labelled = labelled || isLabelled
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lastCellBelow breaks a line of a table before its last cell, which two blanks precede, and sets
// that cell at the page's right edge.
func lastCellBelow(line string, width int) string {
	i := strings.LastIndex(line, "  ")
	if i < 0 { // a note below the table
		return strings.Join(Wrap(line, width), "\n")
	}
	cell := printable.Cut(line[i+2:], width)
	room := max(width-utf8.RuneCountInString(cell), 0)
	return printable.Cut(strings.TrimRight(line[:i], " "), width) + "\n" +
		strings.Repeat(" ", room) + cell
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
