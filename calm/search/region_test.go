package search

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/marks"
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
		s := stopwatch{cut: c, regions: marks.New(), from: at(110), last: at(100)}
		s.take([]marks.Mark{{Name: "loop", End: true, At: at(120)}, {Name: "loop", At: at(100)}},
			at(125))
		s.take([]marks.Mark{{Name: "loop", At: at(130)}, {Name: "other", At: at(130)},
			{Name: "loop", End: true, At: at(140)},
			{Name: "other", End: true, At: at(145)}}, at(150))
		s.take([]marks.Mark{{Name: "loop", At: at(150)}, {Name: "loop", End: true, At: at(170)},
			{Name: "loop"}}, at(170))
		if got := s.stop(at(200)); got != time.Duration(want)*time.Millisecond {
			t.Errorf("%s: %v, want %d ms", cut, got, want)
		}
	}
}
