package baseline

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestSchedutil: a new task begins at half the utilisation and climbs as long as it runs. Worked by
// hand for the first sample: at 1 of 4 GHz the clock of the utilisation runs at a quarter of its
// rate, so 1 ms is 244 of its units. Half of 47788 - 1024 and 244 more are 23626 of 47008, 0.5026;
// times 1.25 and 4 GHz makes 2.513 GHz. The highest state is due above 3.875 GHz, a utilisation of
// 0.775, when 0.45 of the other half is left: after 36.9 periods of the slowed clock, which is 38.7
// ms at full speed and less than 54 ms at 2.875 GHz and more.
func TestSchedutil(t *testing.T) {
	g := newSchedutil(paperDomain())
	loads := make([][]int, 100)
	for i := range loads {
		loads[i] = []int{100, 0}
	}
	got := drive(g, 4, loads)
	check(t, got, 2625)
	reached := -1
	for i, f := range got {
		if i > 0 && f < got[i-1] {
			t.Fatalf("step %d: down to %v while the core is busy", i, f)
		}
		if f == 4000*mhz && reached < 0 {
			reached = i + 1
		}
	}
	if reached < 40 || reached > 54 {
		t.Errorf("at the highest state after %d ms", reached)
	}
}

// TestSchedutilDown: the utilisation falls by half in 32 periods of 1.049 ms of idling. From the
// full one, 16 ms leave 0.72, which asks for 3.59 GHz, and 32 ms leave 0.515, for 2.58 GHz. Another
// core that hardly runs makes the governor look.
func TestSchedutilDown(t *testing.T) {
	g := newSchedutil(paperDomain())
	var loads [][]int
	for range 1000 {
		loads = append(loads, []int{100, 0})
	}
	for range 160 {
		loads = append(loads, []int{0, 1})
	}
	got := drive(g, 2, loads)
	if f := got[999]; f != 4000*mhz {
		t.Errorf("before idling: %v", f)
	}
	for ms, want := range map[int]units.Frequency{2: 4000, 16: 3625, 32: 2625} {
		if f := got[999+ms]; f != want*mhz {
			t.Errorf("%d ms idle: %v, want %d MHz", ms, f, want)
		}
	}
	if f := got[len(got)-1]; f > 1125*mhz {
		t.Errorf("in the end: %v", f)
	}
}

// TestSchedutilMargin: in the long run a load of 50 % at the highest frequency asks for 0.5 * 1.25
// of it.
func TestSchedutilMargin(t *testing.T) {
	g := newSchedutil(paperDomain())
	g.Min = 1024 // clamped up: the clock stays at the highest and the utilisation is the load
	s := drive(g, 4, [][]int{{50}, {50}})
	check(t, s, 4000, 4000)
	if u := g.effective(512); u != 1024 {
		t.Errorf("clamped up: %v", u)
	}
	g.Min, g.Max = 0, 1024
	for _, tc := range []struct{ util, want float64 }{{0, 0}, {512, 640}, {819.2, 1024},
		{1000, 1024}} {
		if got := g.effective(tc.util); got != tc.want {
			t.Errorf("utilisation %v asks for %v, want %v", tc.util, got, tc.want)
		}
	}
	g.Max = 600
	if got := g.effective(512); got != 600 {
		t.Errorf("clamped down: %v", got)
	}
}

// TestSchedutilRateLimit: no second change within the limit.
func TestSchedutilRateLimit(t *testing.T) {
	g := newSchedutil(Domain{Table: paperTable(), Cores: 1, Delay: 10 * time.Millisecond})
	loads := make([][]int, 200)
	for i := range loads {
		loads[i] = []int{100}
	}
	got := drive(g, 1, loads)
	last := -100
	changes := 0
	for i := 1; i < len(got); i++ {
		if got[i] != got[i-1] {
			changes++
			if i-last < 10 {
				t.Errorf("changes at %d and %d ms", last, i)
			}
			last = i
		}
	}
	if changes < 5 {
		t.Errorf("%d changes", changes)
	}
}
