package vm

import "testing"

// TestQualifyCoupled: two policies whose CPUs have one clock are found to move together, and found
// to move by themselves where they do. It checks no durations.
func TestQualifyCoupled(t *testing.T) {
	for _, c := range []struct{ name, together, answer string }{
		{"apart", "0", believed}, {"together", "2", "believe it within these limits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			drive(t, "1")
			fault(t, "coupled", c.together)
			q, r := qualify(t, "--quick", "--each", "200ms", "--steps", "2")
			const question = "Does each frequency domain"
			if got, found := q.check(2, question); got != c.answer {
				t.Errorf("%q: %s", got, found)
			}
			if c.together != "0" {
				says(t, r.err+r.out, "policy1 moves with policy0", "policy0 moves with policy1")
			}
		})
	}
}
