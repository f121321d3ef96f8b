package export

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestFunctionsHTML: the page escapes every name, shows what is not known as a dash, and stays
// within its bounds whatever a report says.
func TestFunctionsHTML(t *testing.T) {
	low, high := int64(1_000_000), int64(3_000_000)
	evil := "<script>\x1b]0;x\u202e</script>"
	f := &profile.Functions{PeriodNS: 1e8, Instrumented: 3, Never: 2, Calls: 3, Called: 1,
		Counters: []string{evil}, Uncalled: []profile.Uncalled{{Name: evil, Module: evil}},
		List: []profile.Function{
			{Name: evil, Calls: 2, Records: 2, MeanNJ: 2_000_000, LowNJ: &low, HighNJ: &high,
				MostNJ: math.MaxInt64, CPUNS: 5e6, Counts: []float64{1.5},
				Spread: []profile.Range{{FromNJ: 1, ToNJ: 2, Records: 1},
					{FromNJ: math.MaxInt64, ToNJ: math.MinInt64, Records: 3}, {Records: -1}}},
			{Name: "short", Calls: 9, Records: 1, Short: true},
			{Name: "uncounted", Calls: 1},
		}}
	page := func() string {
		var b bytes.Buffer
		if err := FunctionsHTML(&b, &Run{Name: evil}, &profile.Profile{Functions: f}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := page()
	for _, wrong := range []string{"<script>", "\x1b", "\u202e", "NaN", "Inf"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page has %q", wrong)
		}
	}
	for _, want := range []string{"1 mJ to 3 mJ", "by samples", "2 of 3 instrumented functions",
		"and 1 more", "<svg", "<td>–</td>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for i := range 100_000 {
		x := f.List[0]
		x.Name = fmt.Sprint(strings.Repeat("n", 380), i)
		f.List = append(f.List, x)
		f.Uncalled = append(f.Uncalled, profile.Uncalled{Name: x.Name})
	}
	f.Never = len(f.Uncalled)
	if n := len(page()); n > 2<<20 {
		t.Errorf("a page of %d bytes", n)
	}
}
