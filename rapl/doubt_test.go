package rapl

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestDoubtOfWindows: a meter is not believed for a minute once it has shown more than it can, and
// the whole of a run that has no windows not at all. A suspend, a reset, a meter that stood, and a
// reader that had to wait are no reason.
func TestDoubtOfWindows(t *testing.T) {
	const second, J = float64(time.Second), 1_000_000_000
	type window struct {
		from, to float64      // s
		joules   units.Energy // since the begin
		slept    float64      // s, since the begin
		doubted  bool
	}
	for what, windows := range map[string][]window{
		"suspended for an hour": {{1, 1, 100, 0, false}, {2, 2, 1900, 3600, false},
			{3, 3, 2000, 3600, false}, {4, 4, 2100, 3600, false}},
		"read 0.5 s late, at the power limit": {{1, 1, 100, 0, false},
			{2, 2.5, 250, 0, false}, {3, 3, 300, 0, false}, {4, 4, 400, 0, false}},
		"it stood": {{1, 1, 100, 0, false}, {2, 2, 100, 0, false}, {2.5, 2.5, 100, 0, false},
			{4, 4, 400, 0, false}, {5, 5, 500, 0, false}},
		"too much, and right for a minute": {{1, 1, 100, 0, false}, {2, 2, 301, 0, true},
			{3, 3, 400, 0, true}, {61.9, 61.9, 5000, 0, true},
			{62.9, 62.9, 5100, 0, false}, {63.9, 63.9, 5200, 0, false}},
		"too much twice": {{1, 1, 301, 0, true}, {2, 2, 401, 0, true},
			{3, 3, 700, 0, true}, {62, 62, 800, 0, true}, {63, 63, 900, 0, false}},
		"windows shorter than a second": {
			{0.01, 0.01, 30, 0, false}, {0.9, 0.9, 90, 0, false},
			{1.1, 1.1, 110, 0, false}, {1.6, 1.6, 250, 0, false},
			{2.2, 2.2, 300, 0, true}},
		"a run shorter than a second": {{0.03, 0.03, 9, 0, false}, {0.1, 0.1, 30, 0, true}},
	} {
		for _, cuts := range []bool{true, false} {
			shown, at, slept := units.Energy(0), int64(0), time.Duration(0)
			m := &Meters{sources: []*source{{Zone: Zone{Kind: Memory}, meter: following{&shown}}},
				clocks: func() (units.Instant, time.Duration) { return units.Instant(at), slept }}
			m.Bound(func(*Zone) (units.Power, string) { return 110, "it can draw" })
			m.Read(0, nil)
			ever := false
			for i, w := range windows {
				shown, at = w.joules*J, int64(w.to*second)
				slept = time.Duration(w.slept * second)
				r := m.Read(units.Instant(w.from*second), nil)
				ever = ever || w.doubted
				want := w.doubted
				if cuts {
					m.Cut()
				} else {
					want = ever
				}
				if got := r[0].Doubt != ""; got != want {
					t.Errorf("%s, cuts %v, window %d: %q", what, cuts, i, r[0].Doubt)
				}
			}
		}
	}
}
