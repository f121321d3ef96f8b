package stream

import "testing"

// TestOthersAreUnknown: a model that stands in for a meter has the target alone, so the energy of
// others is unknown, and not zero.
func TestOthersAreUnknown(t *testing.T) {
	for source, want := range map[string]string{
		"measured": "program 4J, others 0nJ, idle 1J",
		"trained":  "program 4J, others 0nJ, idle 1J",
		"modelled": "program 4J, others unknown, idle 1J",
		"formula":  "program 4J, others unknown, idle 1J",
	} {
		l := Line{Source: source, TotalNJ: 5e9, TargetNJ: 4e9, IdleNJ: 1e9}
		if got := l.Parts(); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
