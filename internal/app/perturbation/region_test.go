package perturbation

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/units"
)

// TestStopwatch: of three iterations and one without an end, those of the cut count, as far as they
// lie within the run without its warm-up.
func TestStopwatch(t *testing.T) {
	at := func(ms int) units.Instant { return units.Instant(time.Duration(ms) * time.Millisecond) }
	for cut, want := range map[string]int{"loop": 10 + 10 + 20 + 30, "loop#2-": 10 + 20 + 30,
		"loop#1": 10, "loop#3": 20, "other": 15, "none": 0} {
		c, err := profile.ParseCut(cut)
		if err != nil {
			t.Fatal(err)
		}
		s := stopwatch{cut: c, regions: instrumented.NewRegions(), from: at(110), last: at(100)}
		s.take([]instrumented.Mark{{Name: "loop", End: true, At: at(120)},
			{Name: "loop", At: at(100)}},
			at(125))
		s.take([]instrumented.Mark{{Name: "loop", At: at(130)}, {Name: "other", At: at(130)},
			{Name: "loop", End: true, At: at(140)},
			{Name: "other", End: true, At: at(145)}}, at(150))
		s.take([]instrumented.Mark{{Name: "loop", At: at(150)},
			{Name: "loop", End: true, At: at(170)},
			{Name: "loop"}}, at(170))
		if got := s.stop(at(200)); got != time.Duration(want)*time.Millisecond {
			t.Errorf("%s: %v, want %d ms", cut, got, want)
		}
	}
}

// TestFactsOfARegion: a unit's share of the CPU time is that of the part of the run that counts, as
// its share of the energy is.
func TestFactsOfARegion(t *testing.T) {
	stack := func(section, frame int, cpu, energy int64) profile.Stack {
		return profile.Stack{Section: section, Frames: []int{frame}, Samples: 1, CPUNS: cpu,
			EnergyNJ: []int64{energy}, ByZone: []int64{energy}}
	}
	sums := func(e int64) profile.Sums {
		one := func(x int64) []int64 { return []int64{x} }
		return profile.Sums{TotalNJ: one(e), Attr: one(e), OthersNJ: one(0), OwnNJ: one(0),
			IdleNJ: one(0), RestNJ: one(0)}
	}
	p := &profile.Profile{Rules: []string{"ledger"}, WallNS: 4000,
		Zones:   []profile.Zone{{Name: "package-0", TotalNJ: 50, Attr: []int64{50}}},
		Threads: []profile.Thread{{TID: 1, PID: 1, Comm: "x", RunNS: 2000}},
		Frames: []profile.Frame{{Name: "A.a", Kind: "jit", Module: "[java]"},
			{Name: "B.b", Kind: "jit", Module: "[java]"}},
		Sections: []profile.Section{{DurNS: 3000, Zones: []profile.Sums{sums(30)}},
			{DurNS: 1000, Regions: []profile.Region{{Name: "loop", Iteration: 1}},
				Zones: []profile.Sums{sums(20)}}},
		Stacks: []profile.Stack{stack(0, 0, 1600, 30), stack(1, 0, 300, 15), stack(1, 1, 100, 5)}}
	c, err := profile.ParseCut("loop")
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Within(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := factsOf(in, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []footprint{{unit: "A.a", energy: 0.75, time: 0.75},
		{unit: "B.b", energy: 0.25, time: 0.25}}
	if got := f.shares["method"]; !slices.Equal(got, want) || f.running != 0.4 {
		t.Errorf("%+v, %v threads", got, f.running)
	}
}
