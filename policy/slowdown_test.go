package policy

import (
	"strings"
	"testing"
)

// TestPrintedByHand: the paper's example (section 6.1.3), quanta of 5 ms that compute, states every
// 500 MHz. Without excess time 3.5 GHz is never taken. With it, 250 us are left by each quantum at
// 4 GHz, and 464.29 pay for one at 3.5.
func TestPrintedByHand(t *testing.T) {
	for _, tc := range []struct {
		name string
		open bool
		h    int
		want string
	}{
		{"with excess time", false, 1, "4GHz 4GHz 3.5GHz 4GHz 4GHz 3.5GHz"},
		{"without", true, 1, "4GHz 4GHz 4GHz 4GHz 4GHz 4GHz"},
		{"hold-off 5", false, 5, "4GHz 4GHz 3.5GHz 4GHz 4GHz 3.5GHz"},
	} {
		p, err := NewPaperSlowdown(PaperConfig{Slowdown: 0.05, States: steps500,
			HoldOff: tc.h, Open: tc.open})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 6 {
			q := busy(5 * ms)
			q.Took = 9e6 // it does not matter what happened
			got = append(got, p.Decide(q, work{Scaling: 5e6}).Frequency.String())
		}
		if s := strings.Join(got, " "); s != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, s, tc.want)
		}
	}
}

func TestPrintedRefused(t *testing.T) {
	if _, err := NewPaperSlowdown(PaperConfig{Slowdown: -1, States: steps500}); err == nil {
		t.Error("a negative budget was accepted")
	}
	if _, err := NewPaperSlowdown(PaperConfig{Slowdown: 0.05}); err == nil {
		t.Error("no states were accepted")
	}
}
