package units

import (
	"math"
	"strings"
	"testing"
)

// TestSlowdownIsReadInOnePlace: a text is refused without its percent sign, and outside of 0 to
// 100 %; a value in code is refused outside of them. A refused text changes nothing.
func TestSlowdownIsReadInOnePlace(t *testing.T) {
	for text, want := range map[string]Slowdown{"0%": 0, "5%": 0.05, "12.5%": 0.125, "100%": 1} {
		var s Slowdown
		if err := s.Set(text); err != nil || s != want || s.String() != text {
			t.Errorf("%s: read %v, %v, want %v", text, s, err, want)
		}
		if b, err := s.MarshalText(); err != nil || string(b) != text {
			t.Errorf("%s: written %q, %v", text, b, err)
		}
	}
	for text, says := range map[string]string{"5": "no percent sign", "0.05": "no percent sign",
		"-1%": "-1%", "101%": "between 0% and 100%", "": "share", "5 percent": "share"} {
		s := Slowdown(0.25)
		if err := s.Set(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want something about %q", text, err, says)
		}
		if s != 0.25 {
			t.Errorf("%q was refused and set %v", text, s)
		}
	}
	for _, s := range []Slowdown{-0.01, 2, Slowdown(math.NaN()), Slowdown(math.Inf(1))} {
		if s.Validate() == nil {
			t.Errorf("%v is valid", s)
		}
	}
}
