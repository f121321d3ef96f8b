package command

import (
	"strings"
	"testing"
)

// TestSummaryFitsThePage: on a narrow terminal the lines of a summary break between words and
// continue below their text; bars do not break.
func TestSummaryFitsThePage(t *testing.T) {
	const text = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, no thread ran for 0.3%\n" +
		"  slowdown    4.9% predicted, budget 5.0% (no counters of memory stalls: " +
		"ebb assumes that all CPU time scales with the clock)\n" +
		"                3.375GHz   0.1% ########################################\n"
	const want = "ebb: java (process 1), shadow mode, nothing was written\n" +
		"  time        10.84s, no thread ran for 0.3%\n" +
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

// TestTableFitsThePage: labelled lines break, of the table's the last cell gets a line of its own,
// and nothing is lost.
func TestTableFitsThePage(t *testing.T) {
	const text = "note         for a reader of the table, in a line that is long\n" +
		"cpu          83.22J modelled = 36.91J attributed + 46.31 J idle\n\n" +
		"rank    energy   share  unit\n" +
		"   1    4.856J   13.2%  app.core.Parser.parseTheWholeOfIt\n\n" +
		"1.5% belongs to threads that were never sampled\n"
	const want = "note         for a reader of the table, in a\n" +
		"             line that is long\n" +
		"cpu          83.22J modelled = 36.91J\n" +
		"             attributed + 46.31 J idle\n\n" +
		"rank    energy   share  unit\n" +
		"   1    4.856J   13.2%\n" +
		"             app.core.Parser.parseTheWholeOfIt\n\n" +
		"1.5% belongs to threads that\nwere never sampled\n"
	for width, w := range map[int]string{46: want, 1000: text} {
		var b strings.Builder
		if err := FitTable(&b, text, 13, width); err != nil || b.String() != w {
			t.Errorf("%d wide: %v\n%s\nwant\n%s", width, err, b.String(), w)
		}
	}
}

// TestNumbersKeepTheirUnits: at no width does a line end with a number whose unit, or what it
// counts, stands in the next one.
func TestNumbersKeepTheirUnits(t *testing.T) {
	const text = "11 windows of 1.5 W (2.2 % of one CPU), 3 with holes; +0.5 percentage points"
	for width := 1; width < 90; width++ {
		lines := Wrap(text, width)
		for _, line := range lines {
			if words := strings.Fields(line); number.MatchString(words[len(words)-1]) {
				t.Errorf("width %d: %q ends with a number", width, line)
			}
		}
		if got := strings.Join(lines, " "); got != text {
			t.Fatalf("width %d: %q", width, got)
		}
	}
}
