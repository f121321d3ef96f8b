package profile

import (
	"math"
	"testing"
)

// TestPrice divides by hand: of 9 J, 6 are of stacks with f, and 4 of stacks that end in it.
func TestPrice(t *testing.T) {
	p := &Profile{Rules: []string{"ledger"}, RateHz: 99, Threads: []Thread{{RunNS: 9e9}},
		Frames: []Frame{{Name: "f", Module: "a"}, {Name: "g", Module: "a"},
			{Name: "f", Module: "b"}},
		Stacks: []Stack{
			{Frames: []int{0, 1}, Samples: 4, EnergyNJ: []int64{4e9}, Squares: 4e18},
			{Frames: []int{1, 0, 0}, Samples: 2, EnergyNJ: []int64{2e9}, Squares: 2e18},
			{Frames: []int{2}, Samples: 3, EnergyNJ: []int64{3e9}, Squares: 3e18},
		}}
	c := &Counts{List: []CountedCalls{{Name: "f", Shown: "f", Module: "a", Calls: 1000},
		{Name: "never", Shown: "never", Module: "a"},
		{Name: "twin", Shown: "twin", Module: "a", File: "/1/a", Calls: 1},
		{Name: "twin", Shown: "twin", Module: "a", File: "/2/a", Calls: 1, Stepped: true}}}
	p.Price(c)
	f := &c.List[0]
	if f.Samples != 6 || math.Abs(f.With.MeanNJ-6e6) > 1 || math.Abs(f.Self.MeanNJ-4e6) > 1 ||
		f.With.LowNJ >= 6e6 || f.With.HighNJ <= 6e6 || f.With.HighNJ > 9e6 {
		t.Errorf("%+v, with %+v, self %+v", f, f.With, f.Self)
	}
	for _, x := range c.List[1:] {
		if x.With != nil || x.Self != nil {
			t.Errorf("%+v has an energy", x)
		}
	}
	if c.CostNS != 1001*countNS+steppedNS {
		t.Errorf("%d ns", c.CostNS)
	}
	v, err := NewView(p, "method", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"f", "h"} { // with another file's f in the line, and without
		p.Frames[2].Name = other
		for _, r := range p.Rows(v, 0) {
			if got := r.Calls != nil; got != (r.Unit == "f" && other == "h") {
				t.Errorf("%s: calls %v", r.Unit, r.Calls)
			}
		}
	}
	if notes := c.Notes(int64(90 * c.CostNS)); len(notes) != 2 {
		t.Errorf("%q", notes) // what it took, and what was never called
	}
	if notes := c.Notes(int64(110 * c.CostNS)); len(notes) != 1 {
		t.Errorf("%q", notes)
	}
}
