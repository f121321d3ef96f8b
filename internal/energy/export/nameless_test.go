package export

import (
	"slices"
	"testing"
)

// TestNameless: beside the table the page has the command that gives names, before all else that
// there is to say of functions without one.
func TestNameless(t *testing.T) {
	for _, c := range []struct {
		lines  []string
		naming string
		others []string
	}{
		{nil, "", nil},
		{[]string{"a", "b"}, "a", []string{"b"}},
		{[]string{"a", "b", "to name them by a server: x"}, "to name them by a server: x",
			[]string{"a", "b"}},
		{[]string{"a", "to name them: sudo apt install x", "to name them by a server"},
			"sudo apt install x", []string{"a", "to name them by a server"}},
	} {
		lines := slices.Clone(c.lines)
		naming, others := nameless(lines)
		if naming != c.naming || !slices.Equal(others, c.others) || !slices.Equal(lines, c.lines) {
			t.Errorf("%q: %q, %q", c.lines, naming, others)
		}
	}
}
