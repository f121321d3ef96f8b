package stream

import "testing"

// TestOthersAreUnknown: a model that stands in for a meter has the target alone, so the energy of
// others is unknown, and not zero.
func TestOthersAreUnknown(t *testing.T) {
	for source, want := range map[string]string{
		"measured": "program 4 J, others 0 J, idle 1 J",
		"trained":  "program 4 J, others 0 J, idle 1 J",
		"modelled": "program 4 J, others unknown, idle 1 J",
		"formula":  "program 4 J, others unknown, idle 1 J",
	} {
		l := Line{Source: source, TotalNJ: 5e9, TargetNJ: 4e9, IdleNJ: 1e9}
		if got := l.Parts(); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
