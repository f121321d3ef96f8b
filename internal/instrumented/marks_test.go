package instrumented

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/units"
)

// TestRegions follows regions that overlap, iterations, and the same begin by two threads.
func TestRegions(t *testing.T) {
	r := NewRegions()
	for _, step := range []struct {
		mark string
		want []Region
	}{
		{"begin b", []Region{{"b", 1}}},
		{"begin a", []Region{{"a", 1}, {"b", 1}}},
		{"begin a", []Region{{"a", 1}, {"b", 1}}}, // by another thread
		{"end a", []Region{{"a", 1}, {"b", 1}}},
		{"end b", []Region{{"a", 1}}},
		{"end a", nil},
		{"end a", nil}, // of nothing
		{"begin a", []Region{{"a", 2}}},
	} {
		word, name, _ := strings.Cut(step.mark, " ")
		m := Mark{Name: name, End: word == End}
		at := r.Take(m, Iterations)
		if got := r.Sections()[at]; len(got) != len(step.want) ||
			len(got) > 0 && !reflect.DeepEqual(got, step.want) {
			t.Errorf("after %s: %+v, want %+v", step.mark, got, step.want)
		}
	}
	if n, coarse := r.Ignored(); n != 1 || coarse {
		t.Errorf("%d ignored, coarse %t", n, coarse)
	}
}

// TestBounds: no program makes more sections than there is room for, and what there is no room for
// is counted. A region's time stays its own, whatever the number of its iterations.
func TestBounds(t *testing.T) {
	r := NewRegions()
	for range 3 * maxSections {
		s := r.Take(Mark{Name: "loop"}, Iterations)
		if open := r.Sections()[s]; len(open) != 1 || open[0].Name != "loop" {
			t.Fatalf("in section %d: %+v", s, open)
		}
		r.Take(Mark{Name: "loop", End: true}, Iterations)
	}
	if n, coarse := r.Ignored(); n != 0 || !coarse {
		t.Errorf("%d ignored, coarse %t", n, coarse)
	}
	for i := range 10 * maxSections {
		m := Mark{Name: fmt.Sprint("n", i%300), End: i%7 == 0, At: units.Instant(i)}
		r.Take(m, Iterations)
	}
	if n, _ := r.Ignored(); n == 0 || len(r.Sections()) > 2*maxSections ||
		len(r.known) > maxNames || len(r.open) > maxOpen {
		t.Errorf("%d sections, %d names, %d open; %d ignored", len(r.Sections()), len(r.known),
			len(r.open), n)
	}
	r = NewRegions()
	r.Take(Mark{Name: "x"}, RegionNames)
	if got := r.Sections()[r.last]; len(got) != 1 || got[0].Iteration != 0 {
		t.Errorf("without iterations: %+v", got)
	}
	if s := r.Take(Mark{Name: "y"}, NoRegions); s != 0 {
		t.Errorf("without sections: %d", s)
	}
}
