package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Bar shows progress on a terminal, in a line that is redrawn. Elsewhere it shows nothing.
type Bar struct {
	w        io.Writer
	terminal bool
	drawn    bool
}

// NewBar returns a bar on w. It draws nothing yet.
func NewBar(w io.Writer) *Bar {
	b := &Bar{w: w}
	if f, ok := w.(*os.File); ok {
		_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		b.terminal = err == nil
	}
	return b
}

// Terminal reports whether the bar is visible. Elsewhere the caller may print lines.
func (b *Bar) Terminal() bool { return b.terminal }

// barWidth is the length of the bar itself, in characters.
const barWidth = 30

// Draw draws the bar for done of so many runs, or of another unit, followed by rest.
func (b *Bar) Draw(done, of int, unit, rest string) {
	if !b.terminal {
		return
	}
	full := barWidth * min(done, of) / max(of, 1)
	line := fmt.Sprintf("[%s%s] %d of %d %s%s", strings.Repeat("#", full),
		strings.Repeat(".", barWidth-full), done, of, unit, rest)
	if width := b.width(); len(line) >= width {
		line = line[:width-1] // a line that wraps could not be erased
	}
	b.Clear()
	fmt.Fprint(b.w, line)
	b.drawn = true
}

// width returns the number of the terminal's columns.
func (b *Bar) width() int {
	if columns, ok := terminalColumns(b.w); ok && columns > 1 {
		return columns
	}
	return usual
}

// Clear erases the bar.
func (b *Bar) Clear() {
	if b.drawn {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.drawn = false
	}
}

// Between returns an estimate of the time left, as precise as its bounds allow.
func Between(lo, hi time.Duration) string {
	a, z := Coarse(lo), Coarse(hi)
	if a == z {
		return "about " + a
	}
	return a + " to " + z
}

// Coarse returns a time for people: in steps of a second, of ten seconds from a minute on, of a
// minute from ten minutes on.
func Coarse(d time.Duration) string {
	switch {
	case d >= time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d >= 10*time.Minute:
		return fmt.Sprintf("%dm", int(d.Round(time.Minute).Minutes()))
	case d >= time.Minute:
		d = d.Round(10 * time.Second)
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%ds", int(d.Round(time.Second).Seconds()))
}
