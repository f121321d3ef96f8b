package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy"
)

// TestFootprintsOnThePage: the page draws methods, classes and packages, each with its shares of
// energy and CPU time, and has over-attribution where both rules divided the energy.
func TestFootprintsOnThePage(t *testing.T) {
	p := sample(t)
	p.Frames[0].Name = "a.b.C.<script>alert(1)"
	page := func() string {
		var b bytes.Buffer
		if err := HTML(&b, &Run{Footprints: Footprints(p, nil, 0)}, p, nil, 0); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := page()
	for _, want := range []string{"Most energy, by method", "Most energy, by class",
		"Most energy, by package", ", CPU time: "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "<script>alert") || strings.Contains(text, ">NaN") {
		t.Error("a name became a script, or a number is none")
	}
	if strings.Contains(text, "over-attribution") {
		t.Error("over-attribution, without the rules for it")
	}
	p.Rules = []string{energy.Equal, energy.Oblivious}
	over := 0.0
	for _, r := range Footprints(p, nil, 0)[0].Rows {
		over = max(over, p.OverAttribution(r.Rules))
	}
	if text := page(); !strings.Contains(text, "over-attribution") || over <= 0 {
		t.Errorf("no over-attribution; the most is %v", over)
	}
	var b bytes.Buffer
	if err := CSV(&b, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(b.String(), "\n"); !strings.HasSuffix(head, ",over_attribution") {
		t.Errorf("CSV: %s", head)
	}
	// Threads alone have no methods to draw.
	for i := range p.Stacks {
		p.Stacks[i].Frames = nil
	}
	p.RateHz = 0
	if f := Footprints(p, nil, 0); f != nil || strings.Contains(page(), "Most energy, by") {
		t.Errorf("%d footprints of nothing", len(f))
	}
}
