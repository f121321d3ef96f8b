package baseline

import (
	"testing"
	"time"
)

// TestOndemand: the kernel's rule is min + load * (max - min) / 100, to the closest state, and the
// highest above 95 %.
func TestOndemand(t *testing.T) {
	got := drive(newOndemand(paperDomain()), 4, [][]int{
		{100, 0}, // the busiest core counts
		{95},     // not above the threshold: 1000 + 95*30 = 3850, closest 3875
		{96},     // above it
		{50},     // 2500
		{2},      // 1060: 1000 is closer than 1125
		{0},      // all idle: no hook runs, nothing changes
		// the time since the last sample is two periods, 15 % of them busy: 1450, 1500 is closest
		{12, 30},
		{33, 34}, // 2020 -> 2000
	})
	check(t, got, 4000, 3875, 4000, 2500, 1000, 1000, 1500, 2000)
}

// TestOndemandDownFactor: with a factor of 3 the highest frequency is kept for three periods before
// the load is sampled, which is then the load over all three periods.
func TestOndemandDownFactor(t *testing.T) {
	g := newOndemand(paperDomain())
	g.DownFactor = 3
	got := drive(g, 4, [][]int{{100}, {10}, {10}, {10}, {10}})
	check(t, got, 4000, 4000, 4000, 1250, 1250) // 1300: 1250 is closest
}

// TestOndemandAfterIdle: a core that was idle for more than two sampling periods shows its load
// from before once.
func TestOndemandAfterIdle(t *testing.T) {
	g := newOndemand(Domain{Table: paperTable(), Cores: 1, Delay: time.Microsecond})
	got := drive(g, 1, [][]int{{60}, {0}, {0}, {0}, {40}, {60}})
	// Four periods, idle 3.6 of them: the 60 % of before, not 10 %. Then 60 % of its own.
	check(t, got, 2750, 2750, 2750, 2750, 2750, 2750)
	g = newOndemand(Domain{Table: paperTable(), Cores: 1, Delay: time.Microsecond})
	got = drive(g, 1, [][]int{{60}, {0}, {0}, {0}, {40}, {0}, {0}, {0}, {40}})
	// the second time it is 10 %: 1300
	check(t, got, 2750, 2750, 2750, 2750, 2750, 2750, 2750, 2750, 1250)
}

// TestConservative: steps of 5 % of the highest frequency (200 MHz); up takes the highest state at
// or below, down the lowest at or above, and what was asked for adds up between states.
func TestConservative(t *testing.T) {
	got := drive(newConservative(paperDomain()), 4, [][]int{
		{100}, // 1200 -> 1125
		{81},  // 1400 -> 1375
		{80},  // between the thresholds
		{90},  // 1600 -> 1500
		{19},  // 1400 -> 1500
		{20},
		{10}, // 1200 -> 1250
		{10}, // 1000
		{10},
	})
	check(t, got, 1125, 1375, 1375, 1500, 1500, 1500, 1250, 1000, 1000)
}

// TestConservativeClimb: from the lowest to the highest state in 15 steps, and not beyond.
func TestConservativeClimb(t *testing.T) {
	loads := make([][]int, 17)
	for i := range loads {
		loads[i] = []int{100}
	}
	got := drive(newConservative(paperDomain()), 4, loads)
	if got[13] != 3750*mhz || got[14] != 4000*mhz || got[16] != 4000*mhz {
		t.Errorf("%v", got)
	}
}

// TestConservativeIdle: after a long idle stretch of all cores it goes one step down for each
// period missed.
func TestConservativeIdle(t *testing.T) {
	g := newConservative(paperDomain())
	loads := [][]int{}
	for range 15 {
		loads = append(loads, []int{100})
	}
	loads = append(loads, []int{0}, []int{0}, []int{0}, []int{50})
	got := drive(g, 4, loads)
	// Idle for 3.5 of four periods: three steps down from 4000 make 3400, and the load of before,
	// 100 %, one up: 3600.
	check(t, got[len(got)-1:], 3500)
}
