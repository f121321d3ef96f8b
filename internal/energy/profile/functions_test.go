package profile

import (
	"bytes"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"strings"
	"testing"
)

// TestFunctionsText: what is unknown is a dash, and a short function has the samples' energy.
func TestFunctionsText(t *testing.T) {
	low, high := int64(1_000_000), int64(3_000_000)
	f := &Functions{Calls: 112, Called: 4, Once: 1, Threads: 1, Records: 12, Lost: 7}
	f.List = []Function{
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
	if err := f.WriteText(&b, Amounts{}, 0, printable.All); err != nil {
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
	if err := f.WriteText(&b, Amounts{}, 1, printable.All); err != nil ||
		!strings.Contains(b.String(), "3 more functions") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestRecursiveTotal: where a recursive function is in no sample, its total is not known, and not
// the sum of invocations that lie within each other.
func TestRecursiveTotal(t *testing.T) {
	for _, x := range []struct {
		f    Function
		want string
	}{
		{Function{Recursive: true}, "-"}, {Function{Recursive: true, TotalNJ: 2e9}, "2 J"},
		{Function{}, "0 J"},
	} {
		if got := x.f.Total(Amounts{}, "-"); got != x.want {
			t.Errorf("%+v: %q, want %q", x.f, got, x.want)
		}
	}
	f := Functions{List: []Function{{Recursive: true, Calls: 1e6, CPUNS: 1e6, TotalNJ: 5},
		{Calls: 3, CPUNS: 1e6}}}
	f.byTime()
	if f.List[0].TotalNJ != 0 || f.List[1].TotalNJ != 3e6 {
		t.Errorf("by time: %+v", f.List)
	}
}
