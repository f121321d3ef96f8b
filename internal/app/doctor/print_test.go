package doctor

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPageAnswersInOrder: in a pipe a block of rows answers each question, "can it govern" first
// and "next" last, and a long row goes on below its own text.
func TestPageAnswersInOrder(t *testing.T) {
	long := strings.Repeat("something long, ", 20)
	var b strings.Builder
	if err := Print(&b, []Finding{{"kernel", Good, "new", ""}, {"frequency", Good, "is", ""},
		{"counters", Missing, "none", "take others"}, {"energy meter", Warning, long, long},
		{run, Good, "sets it", ""}}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	from := -1
	for _, want := range []string{"\nebb run ", "\nfrequency ", "\n\nenergy meter ",
		"\n\ncounters ", "\n\nkernel ", "\n\nnext: sudo ebb run"} {
		at := strings.Index("\n"+text, want)
		if at <= from {
			t.Errorf("%q is at %d, the one before at %d, in\n%s", want, at, from, text)
		}
		from = at
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if utf8.RuneCountInString(line) >= 120 {
			t.Errorf("too long: %q", line)
		}
		if strings.Contains(line, "something") && !strings.HasPrefix(line, "energy meter") &&
			strings.TrimSpace(line[:indent]) != "" {
			t.Errorf("not below its text: %q", line)
		}
	}
}
