package printable

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 cores", 1: "1 core", 2: "2 cores"} {
		if got := Count(n, "core"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
