package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestSelect: an event that costs one program more than the threshold is over it, one that never
// occurs is rare, and the most costly of the rest give way to the joint budget.
func TestSelect(t *testing.T) {
	events := []string{"never", "often", "cheap", "dear", "load"}
	// 1 us a hit: of the first program's 1.34 s the counting is 340 ms, of the second's 10 ms.
	runs := []Probed{{"a", 1340 * time.Millisecond, []uint64{0, 300_000, 5_000, 30_000, 5_000}},
		{"b", 1010 * time.Millisecond, []uint64{0, 0, 10_000, 0, 0}}}
	s := Select(events, runs, 1000, 0.2, 0.02)
	want := map[string]Choice{"never": {"never", Rare, 0, "", false},
		"often": {"often", Over, 0.3, "a", false}, "cheap": {"cheap", Under, 0.01, "b", true},
		"dear": {"dear", Under, 0.03, "a", false}, "load": {"load", Under, 0.005, "a", true}}
	for _, c := range s.Choices {
		w := want[c.Event]
		if math.Abs(c.Cost-w.Cost) > 1e-9 {
			t.Errorf("%s costs %v, want %v", c.Event, c.Cost, w.Cost)
		}
		if c.Cost = w.Cost; c != w {
			t.Errorf("%+v, want %+v", c, w)
		}
	}
	if a := s.Programs[0]; math.Abs(a.All-0.34) > 1e-9 || math.Abs(a.Chosen-0.01) > 1e-9 ||
		a.CPU != time.Second {
		t.Errorf("%+v", a)
	}
	if got := s.Events(); !slices.Equal(got, []string{"cheap", "load"}) ||
		s.Count(Rare)+s.Count(Over)+s.Count(Under) != len(events) {
		t.Errorf("%q", got)
	}
}

// TestDrawn: events drawn at random cost their part of the whole in the mean, as unlike as single
// events are, and all of them cost the whole.
func TestDrawn(t *testing.T) {
	c := SelectedCost{All: 0.32, Costs: make([]float64, 16)}
	c.Costs[3] = 0.32
	all := c.Drawn()
	if len(all) != drawnNumbers {
		t.Fatalf("%+v", all)
	}
	for i, d := range all {
		n := 2 * (i + 1)
		if d.Events != n || math.Abs(d.Mean-0.02*float64(n)) > 1e-12 || d.Low > d.Mean ||
			d.High < d.Mean-1e-12 {
			t.Errorf("%+v", d)
		}
	}
	if d := all[3]; d.Low != 0 || d.High != 0.32 { // the dear one is among half of them or not
		t.Errorf("%+v", d)
	}
	if d := all[drawnNumbers-1]; d.Low != 0.32 || d.High != 0.32 {
		t.Errorf("%+v", d)
	}
	if d := (&SelectedCost{}).Drawn(); d != nil {
		t.Errorf("%+v", d)
	}
}

// TestSelectKeepsItsWord: whatever was counted, no chosen event is over the threshold, and all
// together cost no program more than the joint budget.
func TestSelectKeepsItsWord(t *testing.T) {
	r := rand.New(rand.NewPCG(devtest.Seed(t), 1))
	for range 200 {
		events := make([]string, 1+r.IntN(30))
		for i := range events {
			events[i] = string(rune('a' + i))
		}
		runs := make([]Probed, 1+r.IntN(5))
		for i := range runs {
			runs[i].CPU = time.Duration(r.IntN(1e9))
			for range events {
				runs[i].Hits = append(runs[i].Hits, uint64(math.Exp(12*r.Float64())-1))
			}
		}
		s := Select(events, runs, 500, 0.2, 0.01)
		for _, c := range s.Choices {
			if c.Chosen && (c.Cost > 0.2 || c.Class != Under) {
				t.Fatalf("%+v", c)
			}
		}
		for _, p := range s.Programs {
			if p.Chosen > 0.01 || p.Chosen > p.All+1e-12 {
				t.Fatalf("%+v", p)
			}
		}
	}
}
