package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestNoBottomElsewhere: a pipe and a terminal without control sequences have no bottom rows.
func TestNoBottomElsewhere(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if NewBottom(w) != nil || NewBottom(io.Discard) != nil {
		t.Error("a pipe has bottom rows")
	}
}

// TestBottomPlaces: the rows are the last ones, a low terminal shows the first lines, a hostile
// name is no sequence, and a resized terminal is set apart anew.
func TestBottomPlaces(t *testing.T) {
	lines := func(width int) []string {
		return []string{strings.Repeat("x", 300), "name\x1b[2J", "last"}
	}
	for _, c := range []struct {
		rows, cols, own int
	}{{24, 80, 3}, {24, 40, 3}, {8, 80, 3}, {7, 80, 2}, {6, 80, 1}} {
		var b Bottom
		text := b.text(c.rows, c.cols, 3, lines)
		if b.own != c.own || !strings.Contains(text, fmt.Sprintf("\x1b[1;%dr", c.rows-c.own)) ||
			strings.Contains(text, "\x1b[2J") || strings.Contains(text, "last") != (c.own == 3) ||
			strings.Count(text, "\x1b[2K") != c.own ||
			strings.Contains(text, strings.Repeat("x", c.cols-1)) {
			t.Errorf("%+v: %d rows: %q", c, b.own, text)
		}
		if again := b.text(c.rows, c.cols, 3, lines); strings.Contains(again, "r\x1b8") {
			t.Errorf("set apart twice: %q", again)
		}
		if resized := b.text(c.rows+1, c.cols, 3, lines); !strings.Contains(resized,
			fmt.Sprintf("\x1b[1;%dr", c.rows+1-b.own)) {
			t.Errorf("not set apart anew: %q", resized)
		}
	}
}
