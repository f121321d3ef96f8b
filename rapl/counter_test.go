package rapl

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

const ms = units.Instant(time.Millisecond)

func TestCounter(t *testing.T) {
	const span = 1_000_000_000 // 1 J
	for name, tt := range map[string]struct {
		readings []units.Energy // one every 100 ms
		total    units.Energy
		resets   int
		frozen   bool
	}{
		"nothing":       {nil, 0, 0, false},
		"one":           {[]units.Energy{5}, 0, 0, false},
		"rising":        {[]units.Energy{100, 150, 400}, 300, 0, false},
		"wraps":         {[]units.Energy{span - 10, 20, 30}, 40, 0, false},
		"wraps twice":   {[]units.Energy{span - 10, 20, span - 5, 3}, span + 13, 0, false},
		"exactly a lap": {[]units.Energy{7, 7}, 0, 0, false}, // looks like standing still
		"frozen":        {[]units.Energy{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, 0, 0, true},
		"never moved":   {[]units.Energy{7, 7, 7}, 0, 0, true},
		"moved once":    {[]units.Energy{7, 9, 9, 9}, 2, 0, false},
		"thawed":        {[]units.Energy{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 9}, 2, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := counter{span: span}
			for i, v := range tt.readings {
				c.add(v, when(units.Instant(i)*100*ms))
			}
			if c.total != tt.total || c.resets != tt.resets || c.frozen() != tt.frozen {
				t.Errorf("total %d, %d resets, frozen %v; want %d, %d, %v", c.total, c.resets,
					c.frozen(), tt.total, tt.resets, tt.frozen)
			}
		})
	}
}

// TestAResetAddsNoEnergy: a smaller value that cannot be a wrap is a reset, and adds nothing.
func TestAResetAddsNoEnergy(t *testing.T) {
	for name, span := range map[string]units.Energy{"of 262 kJ": 262143328850000,
		"that never wraps": 0} {
		c := counter{span: span}
		c.add(5_000_000_000, when(0))
		c.add(6_000_000_000, when(100*ms))
		c.add(1_000_000, when(200*ms)) // as after suspend
		c.add(2_000_000, when(300*ms))
		if c.total != 1_001_000_000 || c.resets != 1 || c.holes != 100*time.Millisecond {
			t.Errorf("a counter %s: total %d, %d resets, %v unknown", name, c.total, c.resets,
				c.holes)
		}
	}
	// A leap upward that no machine has the power for is one as well.
	c := counter{span: 262143328850000}
	c.add(0, when(0))
	c.add(3_000_000_000_000, when(100*ms)) // 30 kW
	if c.total != 0 || c.resets != 1 {
		t.Errorf("a leap: total %d, %d resets", c.total, c.resets)
	}
}

// TestTheTotalIsTheEnergyUsed: whatever the power, the span and the times of the readings, as long
// as half of the span at most is used between two, the total is the energy used.
func TestTheTotalIsTheEnergyUsed(t *testing.T) {
	const seed = 20261121
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		span := units.Energy(1_000_000 + r.Int64N(1_000_000_000_000))
		raw := units.Energy(r.Int64N(int64(span)))
		c := counter{span: span}
		at, used := units.Instant(0), units.Energy(0)
		c.add(raw, when(at))
		for range 50 {
			dt := units.Instant(1 + r.Int64N(int64(time.Second)))
			watts := r.Int64N(400)
			e := min(units.Energy(watts*int64(dt)), span/2)
			at, used, raw = at+dt, used+e, (raw+e)%span
			c.add(raw, when(at))
		}
		if c.total != used || c.resets != 0 {
			t.Fatalf("seed %d, span %d: total %d of %d used, %d resets", seed, span, c.total, used,
				c.resets)
		}
	}
}

// TestAStepBackIsNoWrap: a counter that falls a little has not gone round.
func TestAStepBackIsNoWrap(t *testing.T) {
	const J = 1_000_000_000
	for name, c := range map[string]struct {
		span     units.Energy
		most     units.Power
		every    time.Duration
		readings []units.Energy
		total    units.Energy
		resets   int
	}{
		// 5 W, and 3 J back in a counter of 65.5 J: +62.5 J would be 625 W
		"a small span": {65_532_610_000, 0, 100 * time.Millisecond,
			[]units.Energy{10 * J, 10.5 * J, 7.5 * J, 8 * J}, J, 1},
		"at the first fall": {65_532_610_000, 56, 100 * time.Millisecond,
			[]units.Energy{10 * J, 7 * J, 7.5 * J}, 0.5 * J, 1},
		// 60 W in a counter of 16 J, read every 200 ms: 12 J a time
		"the first wrap of a small span": {16 * J, 168, 200 * time.Millisecond,
			[]units.Energy{10 * J, 6 * J, 2 * J, 14 * J}, 36 * J, 0},
		"more than the zone can draw": {65_532_610_000, 56, 100 * time.Millisecond,
			[]units.Energy{58 * J, 58.5 * J, 0.5 * J}, 0.5 * J, 1},
		"a wrap that the zone can draw": {65_532_610_000, 56, 100 * time.Millisecond,
			[]units.Energy{63 * J, 65 * J, 65 * J, 1 * J}, 3_532_610_000, 0},
		// 300 W in a counter of 65.5 J, read every 200 ms: 60 J a time, once round in 1.1
		"power that was there before": {65_532_610_000, 0, 200 * time.Millisecond,
			[]units.Energy{0, 60 * J, 54_467_390_000}, 120 * J, 0},
		"a range of 262 kJ": {262_143_328_850_000, 0, time.Second,
			[]units.Energy{100 * J, 110 * J, 107 * J, 117 * J}, 20 * J, 1},
		"a counter without wraps": {0, 0, time.Second,
			[]units.Energy{100 * J, 110 * J, 107 * J, 117 * J}, 20 * J, 1},
	} {
		n := counter{span: c.span, judge: judge{most: c.most}}
		for i, v := range c.readings {
			n.add(v, when(units.Instant(i)*units.Instant(c.every)))
		}
		if n.total != c.total || n.resets != c.resets {
			t.Errorf("%s: total %v, %d resets, want %v and %d", name, n.total, n.resets, c.total,
				c.resets)
		}
	}
}

// when is a reading that takes no time.
func when(at units.Instant) moment { return moment{from: at, to: at} }

// TestTimeThatGoesBack: readings whose times were taken by two clocks, or in the wrong order, lose
// no energy, however often that happens.
func TestTimeThatGoesBack(t *testing.T) {
	c := counter{span: 262143328850000}
	rng := rand.New(rand.NewPCG(3, 3))
	v, at := units.Energy(0), units.Instant(time.Second)
	c.add(v, when(at))
	for range 100_000 {
		step := time.Duration(rng.IntN(int(10 * time.Millisecond)))
		v, at = v+units.Power(50).For(step), at.Add(step)
		named := at
		if rng.IntN(3) == 0 {
			named = at.Add(-time.Duration(rng.IntN(int(5 * time.Millisecond))))
		}
		c.add(v%c.span, when(named))
	}
	if c.total != v || c.resets != 0 || c.holes != 0 {
		t.Errorf("%d nJ of %d, %d resets, %v unknown", c.total, v, c.resets, c.holes)
	}
}

// TestCounterOfMonths: after 90 days a counter that wraps every hour has 90 times a day's energy.
func TestCounterOfMonths(t *testing.T) {
	const day, every = 24 * time.Hour, 10 * time.Second
	c := counter{span: 262143328850000, judge: judge{most: 400}}
	each := units.Power(75).For(every)
	var v units.Energy
	for at := time.Duration(0); at <= 90*day; at += every {
		c.add(v, when(units.Instant(at)))
		v = (v + each) % c.span
	}
	if want := units.Power(75).For(90 * day); c.total != want || c.resets != 0 {
		t.Errorf("%d nJ, want %d; %d resets", c.total, want, c.resets)
	}
}
