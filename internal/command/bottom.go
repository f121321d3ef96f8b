package command

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/printable"
)

// Bottom is the bottom row of a terminal, which programs that print lines leave alone: the rows
// above it scroll by themselves (DECSTBM), as apt does it while dpkg prints.
type Bottom struct {
	terminal   *os.File
	rows, cols int // of the terminal when the rows above were set apart; 0: they are not
}

// leastRows and leastColumns are those of the smallest terminal with a bottom row of its own.
const leastRows, leastColumns = 6, 40

// NewBottom is the bottom row of w; nil where w is no terminal that can set one apart.
func NewBottom(w io.Writer) *Bottom {
	f, ok := w.(*os.File)
	if _, is := terminalColumns(w); !ok || !is || plain() {
		return nil
	}
	return &Bottom{terminal: f}
}

// plain says whether the terminal is one without control sequences.
func plain() bool { term := os.Getenv("TERM"); return term == "" || term == "dumb" }

// Draw shows a text, cut to the row. It draws nothing where that would disturb: ebb is in the
// background, or the program reads single keys and so probably owns the screen. The write may wait
// for the terminal.
func (b *Bottom) Draw(text string) error {
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
	s := ""
	if rows, cols := int(size.Row), int(size.Col); rows != b.rows || cols != b.cols {
		// A line further, so that the cursor is above the bottom row when it is one back.
		s = fmt.Sprintf("\x1bD\x1b7\x1b[1;%dr\x1b8\x1b[A", rows-1)
		b.rows, b.cols = rows, cols
	}
	_, err = fmt.Fprintf(b.terminal, "%s\x1b7\x1b[%d;1H\x1b[2K%s\x1b8", s, b.rows,
		printable.Cut(text, b.cols-1))
	return err
}

// yield gives the row to the program as it is, which may have drawn there.
func (b *Bottom) yield() error {
	if b.rows == 0 {
		return nil
	}
	b.rows, b.cols = 0, 0
	_, err := fmt.Fprint(b.terminal, "\x1b7\x1b[r\x1b8")
	return err
}

// Close gives the row back.
func (b *Bottom) Close() error {
	if b.rows == 0 {
		return nil
	}
	_, err := fmt.Fprintf(b.terminal, "\x1b7\x1b[r\x1b[%d;1H\x1b[2K\x1b8", b.rows)
	b.rows, b.cols = 0, 0
	return err
}
