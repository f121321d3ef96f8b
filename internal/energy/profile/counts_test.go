package profile

import (
	"math"
	"strings"
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
	if notes := c.Notes(int64(90 * c.CostNS)); len(notes) != 3 {
		t.Errorf("%q", notes) // what it took, what was never called, and what is stepped
	}
	if notes := c.Notes(int64(110 * c.CostNS)); len(notes) != 2 {
		t.Errorf("%q", notes)
	}
}

// TestPriceAsMeasured: what a call cost when the run began is what calls are multiplied by, and
// stepping is said however little it took.
func TestPriceAsMeasured(t *testing.T) {
	list := func() []CountedCalls {
		return []CountedCalls{{Name: "f", Shown: "f", Module: "a", File: "/a", Calls: 1000},
			{Name: "g", Shown: "g", Module: "a", File: "/a", Calls: 10, Stepped: true}}
	}
	c := &Counts{List: list(), CallNS: 1030, SteppedNS: 15000}
	(&Profile{}).Price(c)
	if c.CostNS != 1000*1030+10*15000 {
		t.Errorf("%d ns", c.CostNS)
	}
	notes := strings.Join(c.Notes(c.CostNS*2), "\n")
	for _, want := range []string{"counting took some 50.0%", "calls x 1030 ns", "15000 ns where",
		"as measured when the run began", "g in /a: the kernel stops the thread twice at each " +
			"call, for some 15µs"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %s", want, notes)
		}
	}
	notes = strings.Join(c.Notes(c.CostNS*1000), "\n")
	if strings.Contains(notes, "counting took") || !strings.Contains(notes, "g in /a: the kernel") {
		t.Errorf("of a long run: %s", notes)
	}
	c = &Counts{List: list()[:1], CallNS: 1030}
	(&Profile{}).Price(c)
	if notes = strings.Join(c.Notes(c.CostNS), "\n"); strings.Contains(notes, "steps the thread") {
		t.Errorf("nothing is stepped: %s", notes)
	}
}

// TestPriceBySamples: where enough samples are in the kernel's breakpoints they say what counting
// took, whatever a call cost at the start; where they are few, they do not.
func TestPriceBySamples(t *testing.T) {
	for samples, want := range map[int]int64{leastCounting: 500e6, leastCounting - 1: 1000 * 1030} {
		one := []int64{1}
		p := &Profile{Threads: make([]Thread, 1),
			Frames: []Frame{{Name: "f", Module: "a"}, {Name: "handler_chain", Kind: "kernel"},
				{Name: "uprobe_notify_resume", Kind: "kernel"},
				{Name: "asm_exc_int3", Kind: "kernel"}, {Name: "do_syscall_64", Kind: "kernel"},
				{Name: "uprobe_of_the_programs_own", Module: "a"}},
			Stacks: []Stack{
				{Frames: []int{1, 2, 3, 0}, Samples: samples - 10, CPUNS: 400e6, EnergyNJ: one},
				{Frames: []int{3, 0}, Samples: 10, CPUNS: 100e6, EnergyNJ: one},
				{Frames: []int{0}, Samples: 70, CPUNS: 700e6, EnergyNJ: one},
				{Frames: []int{4, 0}, Samples: 70, CPUNS: 700e6, EnergyNJ: one},
				{Frames: []int{4, 5, 0}, Samples: 70, CPUNS: 700e6, EnergyNJ: one}}}
		c := &Counts{CallNS: 1030, List: []CountedCalls{{Name: "g", Shown: "g", Module: "a",
			Calls: 1000}}}
		p.Price(c)
		if c.CostNS != want {
			t.Errorf("%d samples: %d ns, want %d", samples, c.CostNS, want)
		}
		notes := strings.Join(c.Notes(2*c.CostNS), "\n")
		if by := strings.Contains(notes, "500000 ns a call, by 50 samples"); by !=
			(samples == leastCounting) {
			t.Errorf("%d samples: %s", samples, notes)
		}
	}
}
