package units

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// text is the interface of each of the types.
type text interface {
	encoding.TextMarshaler
	fmt.Stringer
}

func TestWritten(t *testing.T) {
	for _, tc := range []struct {
		v           text
		shown, text string
	}{
		{Frequency(2_400_000_000), "2.4GHz", "2.4GHz"},
		{Frequency(3_875_000_000), "3.875GHz", "3.875GHz"},
		{Frequency(2_394_183_726), "2.394183726GHz", "2.394183726GHz"},
		{Frequency(800_000_000), "800MHz", "800MHz"},
		{Frequency(999_999), "999.999kHz", "999.999kHz"},
		{Frequency(1), "1Hz", "1Hz"},
		{Frequency(0), "0Hz", "0Hz"},
		{Frequency(math.MaxInt64), "9223372036.854775807GHz", "9223372036.854775807GHz"},
		{Energy(12_345_678_901), "12.35 J", "12.345678901J"},
		{Energy(-12_345_678_901), "-12.35 J", "-12.345678901J"},
		{Energy(999_999), "1 mJ", "999.999uJ"},
		{Energy(20), "20 nJ", "20nJ"},
		{Energy(0), "0 J", "0nJ"},
		{Energy(math.MaxInt64), "9223 MJ", "9223.372036854775807MJ"},
		{Energy(math.MinInt64), "-9223 MJ", "-9223.372036854775808MJ"},
		{Power(15), "15 W", "15W"},
		{Power(17.254321), "17.25 W", "17.254321W"},
		{Power(0.35), "350 mW", "0.35W"},
		{Power(0.0000004), "0 W", "0.0000004W"},
		{Power(1234.5678), "1.235 kW", "1234.5678W"},
		{Power(3e12), "3e+12 W", "3000000000000W"},
		{Ratio(0.05), "5%", "5%"},
		{Ratio(0.07), "7%", "7%"},
		{Ratio(0.125), "12.5%", "12.5%"},
		{Ratio(0.003), "0.3%", "0.3%"},
		{Ratio(0), "0%", "0%"},
		{Ratio(1), "100%", "100%"},
		{Ratio(-0.01), "-1%", "-1%"},
		{Ratio(12.3456), "1234.56%", "1234.56%"},
	} {
		b, err := tc.v.MarshalText()
		if tc.v.String() != tc.shown || string(b) != tc.text || err != nil {
			t.Errorf("%T: String %q, text %q, %v; want %q, %q", tc.v, tc.v, b, err, tc.shown,
				tc.text)
		}
	}
}

// TestFrequencyInASentence: a sentence has a blank before the unit, and what a flag takes has none.
func TestFrequencyInASentence(t *testing.T) {
	if f := Frequency(2_400_000_000); f.Text() != "2.4 GHz" || f.String() != "2.4GHz" {
		t.Errorf("%q, %q", f.Text(), f)
	}
}

func TestNotFinite(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, m := range []text{Power(v), Ratio(v)} {
			if b, err := m.MarshalText(); err == nil {
				t.Errorf("%T %v has the text %q", m, v, b)
			}
			if s := m.String(); !strings.Contains(s, "N") && !strings.Contains(s, "I") {
				t.Errorf("%T %v prints as %q", m, v, s)
			}
		}
	}
}

// TestRoundTrip: what is written exactly is read exactly, at every magnitude; also through JSON, as
// recordings do.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 5000 {
		whole := int64(rng.Uint64() >> rng.IntN(64))
		real := math.Float64frombits(rng.Uint64())
		if math.IsNaN(real) || math.IsInf(real, 0) {
			continue
		}
		share := (rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(8)-4))
		type all struct {
			F Frequency
			E Energy
			P Power
			R Ratio
			S Ratio
		}
		want := all{Frequency(max(whole, 0)), Energy(whole), Power(real), Ratio(real), Ratio(share)}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got all
		if err := json.Unmarshal(b, &got); err != nil || got != want {
			t.Fatalf("%s: %+v, %v; want %+v", b, got, err, want)
		}
	}
}

// TestRounding compares roundDigits with rounding done on the decimal text.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for range 20000 {
		v := int64(rng.Uint64() >> rng.IntN(64))
		got := roundDigits(v, shownDigits)
		if v > math.MaxInt64/10*9 || v < math.MinInt64/10*9 {
			continue // where rounding may not fit
		}
		var want int64
		step := int64(1)
		for v/step >= 10000 || v/step <= -10000 {
			step *= 10
		}
		want = v / step * step
		if rest := v % step; rest*2 >= step && rest > 0 {
			want += step
		} else if -rest*2 >= step && rest < 0 {
			want -= step
		}
		if got != want {
			t.Fatalf("roundDigits(%d) = %d, want %d", v, got, want)
		}
	}
}
