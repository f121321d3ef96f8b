package units

import (
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Pointers to all four are flags; the method Type is what pflag wants besides.
var (
	_ flag.Value = (*Frequency)(nil)
	_ flag.Value = (*Energy)(nil)
	_ flag.Value = (*Power)(nil)
	_ flag.Value = (*Ratio)(nil)
)

// text is what each of the types can do.
type text interface {
	encoding.TextMarshaler
	fmt.Stringer
}

func TestRead(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want any
	}{
		{"2.4GHz", Frequency(2_400_000_000)},
		{"2400MHz", Frequency(2_400_000_000)},
		{"2400000kHz", Frequency(2_400_000_000)},
		{"2400000000Hz", Frequency(2_400_000_000)},
		{" 2.4 GHz ", Frequency(2_400_000_000)},
		{"2.400000001GHz", Frequency(2_400_000_001)},
		{"2.4000000010GHz", Frequency(2_400_000_001)},
		{"+1GHz", Frequency(1_000_000_000)},
		{"0Hz", Frequency(0)},
		{"9223372036.854775807GHz", Frequency(math.MaxInt64)},
		{"20nJ", Energy(20)},
		{"1.5uJ", Energy(1500)},
		{"500mJ", Energy(500_000_000)},
		{"-3J", Energy(-3_000_000_000)},
		{"1.5kJ", Energy(1_500_000_000_000)},
		{"9.2MJ", Energy(9_200_000_000_000_000)},
		{"15W", Power(15)},
		{"350mW", Power(0.35)},
		{"20uW", Power(20e-6)},
		{"1.5kW", Power(1500)},
		{"2MW", Power(2e6)},
		{"-1W", Power(-1)},
		{"5%", Ratio(0.05)},
		{"0.7%", Ratio(0.007)},
		{"7%", Ratio(0.07)},
		{"200%", Ratio(2)},
		{"-1%", Ratio(-0.01)},
		{"0%", Ratio(0)},
		{"12.5 %", Ratio(0.125)},
	} {
		got, err := read(tc.in, tc.want)
		if err != nil || got != tc.want {
			t.Errorf("%q: %v, %v; want %v", tc.in, got, err, tc.want)
		}
	}
}

// read reads s into a value of want's type.
func read(s string, want any) (any, error) {
	switch want.(type) {
	case Frequency:
		var v Frequency
		err := v.Set(s)
		return v, err
	case Energy:
		var v Energy
		err := v.Set(s)
		return v, err
	case Power:
		var v Power
		err := v.Set(s)
		return v, err
	case Ratio:
		var v Ratio
		err := v.Set(s)
		return v, err
	}
	panic("no such type")
}

// TestRefused: the error says what is wrong and shows how it is written. The value stays as it was.
func TestRefused(t *testing.T) {
	for _, tc := range []struct {
		in   string
		into any
		says []string
	}{
		{"2400000000", Frequency(7), []string{"has no unit", "a frequency", "2.4GHz"}},
		{"2.4", Frequency(7), []string{"has no unit", "2.4GHz"}},
		{"2.4ghz", Frequency(7), []string{"ghz", "2.4GHz"}},
		{"2.4mHz", Frequency(7), []string{"mHz"}},
		{"fast", Frequency(7), []string{"fast", "is not a frequency"}},
		{"", Frequency(7), []string{"is not a frequency"}},
		{"GHz", Frequency(7), []string{"is not a frequency"}},
		{"-1GHz", Frequency(7), []string{"negative"}},
		{"0.5Hz", Frequency(7), []string{"finer than 1 Hz"}},
		{"10000000000GHz", Frequency(7), []string{"too large"}},
		{"1e9Hz", Frequency(7), []string{"e9Hz"}},
		{".5GHz", Frequency(7), []string{"is not"}},
		{"5.GHz", Frequency(7), []string{"is not"}},
		{"1.2.3GHz", Frequency(7), []string{"is not"}},
		{"1,5GHz", Frequency(7), []string{",5GHz"}},
		{"--1GHz", Frequency(7), []string{"is not"}},
		{"0x10Hz", Frequency(7), []string{"x10Hz"}},
		{"١GHz", Frequency(7), []string{"is not"}},
		{"5", Energy(7), []string{"has no unit", "500mJ"}},
		{"0.1nJ", Energy(7), []string{"finer than 1 nJ"}},
		{"5Wh", Energy(7), []string{"Wh"}},
		{"9300000GJ", Energy(7), []string{"GJ"}},
		{"9300000000MJ", Energy(7), []string{"too large"}},
		{"15", Power(7), []string{"has no unit", "15W"}},
		{"15w", Power(7), []string{"15W"}},
		{"NaNW", Power(7), []string{"NaN"}},
		{"InfW", Power(7), []string{"Inf"}},
		{strings.Repeat("9", 400) + "W", Power(7), []string{"too large"}},
		{"5", Ratio(7), []string{`"5"`, "percent sign", "such as 5%"}},
		{"0.05", Ratio(7), []string{"percent sign"}},
		{"-1", Ratio(7), []string{"percent sign"}},
		{"", Ratio(7), []string{"5%"}},
		{"%", Ratio(7), []string{"5%"}},
		{"abc", Ratio(7), []string{"abc", "5%"}},
		{"NaN%", Ratio(7), []string{"NaN"}},
		{"5%%", Ratio(7), []string{"%%"}},
	} {
		got, err := read(tc.in, tc.into)
		if err == nil {
			t.Errorf("%q was read as %v", tc.in, got)
			continue
		}
		for _, w := range tc.says {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.50q: %q does not say %q", tc.in, err, w)
			}
		}
		if len(err.Error()) > 150 || strings.Contains(err.Error(), "%!") {
			t.Errorf("%.50q: %q", tc.in, err)
		}
	}
	f := Frequency(7)
	if err := f.Set("fast"); err == nil || f != 7 {
		t.Errorf("a refused text changed the value to %d", f)
	}
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
		{Energy(12_345_678_901), "12.35J", "12.345678901J"},
		{Energy(-12_345_678_901), "-12.35J", "-12.345678901J"},
		{Energy(999_999), "1mJ", "999.999uJ"},
		{Energy(20), "20nJ", "20nJ"},
		{Energy(0), "0nJ", "0nJ"},
		{Energy(math.MaxInt64), "9223MJ", "9223.372036854775807MJ"},
		{Energy(math.MinInt64), "-9223MJ", "-9223.372036854775808MJ"},
		{Power(15), "15W", "15W"},
		{Power(17.254321), "17.25W", "17.254321W"},
		{Power(0.35), "350mW", "0.35W"},
		{Power(0.0000004), "0uW", "0.0000004W"},
		{Power(1234.5678), "1.235kW", "1234.5678W"},
		{Power(3e12), "3e+12W", "3000000000000W"},
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
			t.Errorf("%T: String %q, text %q, %v; want %q, %q", tc.v, tc.v, b, err, tc.shown, tc.text)
		}
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

// TestRoundTrip: what is written exactly is read exactly, at every magnitude; also through JSON, as recordings do.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 20000 {
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
