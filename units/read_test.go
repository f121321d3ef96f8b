package units

import (
	"flag"
	"math"
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
		{"1.5 µJ", Energy(1500)},
		{"1.5μJ", Energy(1500)}, // the Greek letter
		{"500mJ", Energy(500_000_000)},
		{"-3J", Energy(-3_000_000_000)},
		{"1.5kJ", Energy(1_500_000_000_000)},
		{"9.2MJ", Energy(9_200_000_000_000_000)},
		{"15W", Power(15)},
		{"350mW", Power(0.35)},
		{"20uW", Power(20e-6)},
		{"20 µW", Power(20e-6)},
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

// refused are texts that are no quantity, and what the error says of each.
var refused = []struct {
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
}

// TestRefusedTextChangesNothing: the error names the fault and shows the right form. The value
// stays as it was.
func TestRefusedTextChangesNothing(t *testing.T) {
	for _, tc := range refused {
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
