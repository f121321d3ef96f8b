package printable

import "testing"

// TestPercent: shares are rounded to a tenth, and nothing has no minus sign.
func TestPercent(t *testing.T) {
	for share, want := range map[float64][2]string{
		0.1234: {"12.3 %", "+12.3 %"}, -0.5: {"-50.0 %", "-50.0 %"}, 0: {"0.0 %", "+0.0 %"},
		-0.0004: {"0.0 %", "+0.0 %"}, 2: {"200.0 %", "+200.0 %"},
	} {
		if got := [2]string{Percent(share), SignedPercent(share)}; got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
	if got := ShortPercent(-0.0004) + ShortSignedPercent(0.25); got != "0.0%+25.0%" {
		t.Error(got)
	}
}
