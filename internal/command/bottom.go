package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// Bottom shows text in the bottom rows of a terminal, which programs that print lines leave alone.
// The rows above scroll by themselves (DECSTBM), as under apt while dpkg prints.
type Bottom struct {
	terminal   *os.File
	rows, cols int // size of the terminal when the rows above were set apart; 0: they are not
	own        int // number of the bottom rows
}

// leastRows and leastColumns are the size of the smallest terminal with a bottom row of its own.
// The rows above are never fewer than leastRows-1.
const leastRows, leastColumns = 6, 40

// NewBottom returns the bottom rows of w; nil where w is no terminal that can set them apart.
func NewBottom(w io.Writer) *Bottom {
	f, ok := w.(*os.File)
	if _, is := terminalColumns(w); !ok || !is || plain() {
		return nil
	}
	return &Bottom{terminal: f}
}

// plain reports whether the terminal has no control sequences.
func plain() bool { term := os.Getenv("TERM"); return term == "" || term == "dumb" }

// Draw shows at most many lines, each cut to its row; a low terminal shows the first of them. lines
// returns them for the terminal's width. Draw draws nothing where that would disturb: ebb is in the
// background, or the program reads single keys and so probably owns the screen. The write may wait
// for the terminal.
func (b *Bottom) Draw(many int, lines func(width int) []string) error {
	fd := int(b.terminal.Fd())
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return err
	}
	mode, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	if mode.Lflag&unix.ICANON == 0 {
		return b.yield()
	}
	size, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil || size.Row < leastRows || size.Col < leastColumns {
		return err
	}
	_, err = io.WriteString(b.terminal, b.text(int(size.Row), int(size.Col), many, lines))
	return err
}

// text returns the sequences that draw the lines on a terminal of the given size.
func (b *Bottom) text(rows, cols, many int, lines func(width int) []string) string {
	var s strings.Builder
	if rows != b.rows || cols != b.cols {
		b.rows, b.cols, b.own = rows, cols, max(min(many, rows-leastRows+1), 1)
		// The text scrolls by as many lines, so that the cursor is above the bottom rows when it is
		// back.
		fmt.Fprintf(&s, "%s\x1b7\x1b[1;%dr\x1b8\x1b[%dA", strings.Repeat("\x1bD", b.own),
			rows-b.own, b.own)
	}
	s.WriteString("\x1b7")
	text := lines(cols - 1)
	for i := range b.own {
		line := ""
		if i < len(text) {
			line = printable.Cut(text[i], cols-1)
		}
		fmt.Fprintf(&s, "\x1b[%d;1H\x1b[2K%s", rows-b.own+1+i, line)
	}
	s.WriteString("\x1b8")
	return s.String()
}

// yield gives the rows to the program as they are, because it may have drawn there.
func (b *Bottom) yield() error {
	if b.rows == 0 {
		return nil
	}
	b.rows, b.cols = 0, 0
	_, err := fmt.Fprint(b.terminal, "\x1b7\x1b[r\x1b8")
	return err
}

// Close gives the rows back.
func (b *Bottom) Close() error {
	if b.rows == 0 {
		return nil
	}
	_, err := fmt.Fprintf(b.terminal, "\x1b7\x1b[r\x1b[%d;1H\x1b[J\x1b8", b.rows-b.own+1)
	b.rows, b.cols = 0, 0
	return err
}
