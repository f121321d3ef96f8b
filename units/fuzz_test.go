package units

import "testing"

// Accepted text can be written, and reads back the same. No input causes a panic.

func FuzzFrequency(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		var v, w Frequency
		if v.Set(s) != nil {
			return
		}
		if err := w.Set(v.String()); err != nil || v != w || v < 0 {
			t.Errorf("%q is %d, written %q, read again %d, %v", s, v, v, w, err)
		}
	})
}

func FuzzEnergy(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		var v, w, shown Energy
		if v.Set(s) != nil {
			return
		}
		b, err := v.MarshalText()
		if err == nil {
			err = w.UnmarshalText(b)
		}
		if err != nil || v != w {
			t.Errorf("%q is %d, written %q, read again %d, %v", s, v, b, w, err)
		}
		// The text is within half a unit of the fourth digit, so within 1/2000.
		if err := shown.Set(v.String()); err != nil {
			t.Errorf("%q is shown as %q: %v", s, v, err)
		} else if d := float64(shown) - float64(v); max(d, -d) > max(float64(v), -float64(v))/1999 {
			t.Errorf("%d is shown as %q", v, v)
		}
	})
}

func FuzzPower(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		var v, w Power
		if v.Set(s) != nil {
			return
		}
		_ = v.String()
		b, err := v.MarshalText()
		if err == nil {
			err = w.UnmarshalText(b)
		}
		if err != nil || v != w {
			t.Errorf("%q is %v, written %q, read again %v, %v", s, float64(v), b, float64(w), err)
		}
	})
}

func FuzzRatio(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		var v, w Ratio
		if v.Set(s) != nil {
			return
		}
		if err := w.Set(v.String()); err != nil || v != w {
			t.Errorf("%q is %v, written %q, read again %v, %v", s, float64(v), v.String(),
				float64(w), err)
		}
	})
}
