package command

import (
	"strings"
	"testing"
)

// TestSummaryFitsThePage: on a narrow terminal the lines of a summary break between words and
// continue below their text; bars do not break.
func TestSummaryFitsThePage(t *testing.T) {
	const text = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, 0.3% idle or waiting for a CPU\n" +
		"  slowdown    4.9% predicted, budget 5.0% (no counters of memory stalls: " +
		"ebb assumes that all CPU time scales with the clock)\n" +
		"                3.375GHz   0.1% ########################################\n"
	const want = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, 0.3% idle or waiting for a CPU\n" +
		"  slowdown    4.9% predicted, budget 5.0% (no counters of\n" +
		"              memory stalls: ebb assumes that all CPU time\n" +
		"              scales with the clock)\n" +
		"                3.375GHz   0.1% ########################################\n"
	for width, w := range map[int]string{60: want, 1000: text} {
		var b strings.Builder
		if Fit(&b, text, 14, width); b.String() != w {
			t.Errorf("%d wide:\n%s\nwant\n%s", width, b.String(), w)
		}
	}
}

func TestWrap(t *testing.T) {
	text := "one two three four five six seven eight nine ten"
	for width := 1; width < 60; width++ {
		lines := Wrap(text, width)
		if got := strings.Join(lines, " "); got != text {
			t.Fatalf("width %d: %q", width, got)
		}
		for i, line := range lines {
			if len(line) > max(width, 18) { // three words, at the end
				t.Errorf("width %d: %q is too long", width, line)
			}
			if width > 24 && i == len(lines)-1 && len(strings.Fields(line)) < 3 {
				t.Errorf("width %d: %q is too short for a last line", width, line)
			}
		}
	}
	if lines := Wrap("", 10); len(lines) != 0 {
		t.Errorf("%q", lines)
	}
}
