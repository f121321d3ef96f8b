package symbols

import "testing"

// TestThreadNamesReplaced: a thread has its newest name, but not what HotSpot calls the thread of
// main at its end, nor what is no text.
func TestThreadNamesReplaced(t *testing.T) {
	for _, c := range []struct {
		before, name string
		want         bool
	}{
		{"", "main", true}, {"main", "main", false}, {"main", "worker", true},
		{"main", "DestroyJavaVM", false}, {"", "DestroyJavaVM", true},
		{"main", "\x00\x01", false}, {"", "\x00\x01", true}, {"DestroyJavaVM", "main", true},
	} {
		if got := replaces(c.before, c.name); got != c.want {
			t.Errorf("%q in the place of %q: %v", c.name, c.before, got)
		}
	}
}
