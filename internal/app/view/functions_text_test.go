package view

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// TestFunctionsText: what is unknown is a dash, and a short function has the samples' energy.
func TestFunctionsText(t *testing.T) {
	low, high := int64(1_000_000), int64(3_000_000)
	f := &profile.Functions{Calls: 112, Called: 4, Once: 1, Threads: 1, Records: 12, Lost: 7}
	f.List = []profile.Function{
		{Name: "long", Calls: 10, Records: 10, MeanNJ: 2_000_000, LowNJ: &low, HighNJ: &high,
			MostNJ: 9_000_000,
			CPUNS:  5_000_000, FreqHz: 3_456_000_000, TotalNJ: 20_000_000, SampledNJ: 25_000_000},
		{Name: "short", Calls: 100, Records: 1, Short: true, MeanNJ: 5, TotalNJ: 500,
			SampledNJ: 500},
		{Name: "again", Calls: 1, Records: 1, MeanNJ: 10_000, Recursive: true, TotalNJ: 10_000,
			CPUNS: 4000, SampledNJ: 5},
		{Name: "never\x1b[31m", Calls: 1},
	}
	var b bytes.Buffer
	if err := writeFunctions(&b, f, profile.Amounts{}, 0, printable.All); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"-20.0%", "1 mJ-3 mJ", "by samples", "again (recursive)",
		"3.46 GHz", "7 records written over"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Count(text, "%") != 2 { // one in the heading
		t.Errorf("a discrepancy of what has none, or a name that a terminal obeys:\n%s", text)
	}
	if _, known := f.List[2].Discrepancy(); known {
		t.Error("a recursive function has a discrepancy")
	}
	b.Reset()
	if err := writeFunctions(&b, f, profile.Amounts{}, 1, printable.All); err != nil ||
		!strings.Contains(b.String(), "3 more functions") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestFunctionsByTime: a run whose model is not believed has CPU time, and no joules.
func TestFunctionsByTime(t *testing.T) {
	p := profile.Profile{Rules: []string{"ledger"}, Functions: &profile.Functions{
		List: []profile.Function{{Name: "hot", Calls: 3, Records: 1, CPUNS: 5e8, MeanNJ: 7e9,
			MostNJ: 8e9}}}}
	p.ByTime()
	var text bytes.Buffer
	if err := writeFunctions(&text, p.Functions, p.Amounts(), 0, printable.All); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); !strings.Contains(s, "500 ms") || strings.Contains(s, "J ") ||
		strings.Contains(s, "energy") {
		t.Error(s)
	}
}
