package command

import "testing"

func TestClause(t *testing.T) {
	const text = "worth it: 10.0 % (8.0 % to 12.0 %) of it saved, no time lost; that stands"
	for width, want := range map[int]string{
		100: text, 73: text, 72: "worth it: 10.0 % (8.0 % to 12.0 %) of it saved, no time lost",
		50: "worth it: 10.0 % (8.0 % to 12.0 %) of it saved",
		30: "worth it: 10.0 %", 20: "worth it: 10.0 %", 5: "wort…", 1: "…",
	} {
		if got := Clause(text, width); got != want {
			t.Errorf("%d wide: %q, want %q", width, got, want)
		}
	}
}
