package baseline

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

const mhz = units.Frequency(1_000_000)

// paperTable is 1 to 4 GHz in steps of 125 MHz.
func paperTable() Table {
	var t Table
	for f := 1000 * mhz; f <= 4000*mhz; f += 125 * mhz {
		t = append(t, f)
	}
	return t
}

func paperDomain() Domain {
	return Domain{Table: paperTable(), Cores: 4, Delay: 3 * time.Microsecond}
}

// drive plays loads (percent busy of each core in turn; shorter rows repeat the last value) to a controller, one per
// period, and gives the clock after each.
func drive(c Controller, cores int, loads [][]int) []units.Frequency {
	s := Sample{At: 1e9, Frequency: c.Initial(), Busy: make([]time.Duration, cores)}
	c.Sample(&s)
	var out []units.Frequency
	for _, row := range loads {
		s.At = s.At.Add(c.Period())
		s.Busy = append([]time.Duration(nil), s.Busy...)
		for i := range s.Busy {
			s.Busy[i] += c.Period() * time.Duration(row[min(i, len(row)-1)]) / 100
		}
		if f, ok := c.Sample(&s); ok {
			s.Frequency = f
		}
		out = append(out, s.Frequency)
	}
	return out
}

func check(t *testing.T, got []units.Frequency, wantMHz ...int) {
	t.Helper()
	for i, w := range wantMHz {
		if i >= len(got) || got[i] != units.Frequency(w)*mhz {
			t.Fatalf("step %d: got %v, want MHz %v", i, got, wantMHz)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{1000, 1500, 2200}
	for _, tc := range []struct{ f, least, most, closest units.Frequency }{
		{900, 1000, 1000, 1000}, {1000, 1000, 1000, 1000}, {1100, 1500, 1000, 1000}, {1250, 1500, 1000, 1000},
		{1251, 1500, 1000, 1500}, {1500, 1500, 1500, 1500}, {2000, 2200, 1500, 2200}, {2200, 2200, 2200, 2200}, {9000, 2200, 2200, 2200},
	} {
		if l, m, c := table.atLeast(tc.f), table.atMost(tc.f), table.closest(tc.f); l != tc.least || m != tc.most || c != tc.closest {
			t.Errorf("%d: at least %d, at most %d, closest %d; want %+v", tc.f, l, m, c, tc)
		}
	}
}

// TestOndemand: the kernel's rule is min + load * (max - min) / 100, to the closest state, and the highest above 95 %.
func TestOndemand(t *testing.T) {
	got := drive(NewOndemand(paperDomain()), 4, [][]int{
		{100, 0}, // the busiest core counts
		{95},     // not above the threshold: 1000 + 95*30 = 3850, closest 3875
		{96},     // above it
		{50},     // 2500
		{2},      // 1060: 1000 is closer than 1125
		{0},      // all idle: no hook runs, nothing changes
		{12, 30}, // the time since the last look is two periods, 15 % of them busy: 1450, 1500 is closest
		{33, 34}, // 2020 -> 2000
	})
	check(t, got, 4000, 3875, 4000, 2500, 1000, 1000, 1500, 2000)
}

// TestOndemandDownFactor: with a factor of 3 the highest frequency is kept for three periods before the load is looked at, and
// then the load is over all of them.
func TestOndemandDownFactor(t *testing.T) {
	g := NewOndemand(paperDomain())
	g.DownFactor = 3
	got := drive(g, 4, [][]int{{100}, {10}, {10}, {10}, {10}})
	check(t, got, 4000, 4000, 4000, 1250, 1250) // 1300: 1250 is closest
}

// TestOndemandAfterIdle: a core that was idle for more than two sampling periods shows its load from before once.
func TestOndemandAfterIdle(t *testing.T) {
	g := NewOndemand(Domain{Table: paperTable(), Cores: 1, Delay: time.Microsecond})
	got := drive(g, 1, [][]int{{60}, {0}, {0}, {0}, {40}, {60}})
	// Four periods, idle 3.6 of them: the 60 % of before, not 10 %. Then 60 % of its own.
	check(t, got, 2750, 2750, 2750, 2750, 2750, 2750)
	g = NewOndemand(Domain{Table: paperTable(), Cores: 1, Delay: time.Microsecond})
	got = drive(g, 1, [][]int{{60}, {0}, {0}, {0}, {40}, {0}, {0}, {0}, {40}})
	check(t, got, 2750, 2750, 2750, 2750, 2750, 2750, 2750, 2750, 1250) // the second time it is 10 %: 1300
}

// TestConservative: steps of 5 % of the highest frequency (200 MHz); up takes the highest state at or below, down the lowest at or
// above, and what was asked for adds up between states.
func TestConservative(t *testing.T) {
	got := drive(NewConservative(paperDomain()), 4, [][]int{
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
	got := drive(NewConservative(paperDomain()), 4, loads)
	if got[13] != 3750*mhz || got[14] != 4000*mhz || got[16] != 4000*mhz {
		t.Errorf("%v", got)
	}
}

// TestConservativeIdle: after a long idle stretch of all cores it goes one step down for each period missed.
func TestConservativeIdle(t *testing.T) {
	g := NewConservative(paperDomain())
	loads := [][]int{}
	for range 15 {
		loads = append(loads, []int{100})
	}
	loads = append(loads, []int{0}, []int{0}, []int{0}, []int{50})
	got := drive(g, 4, loads)
	// Idle for 3.5 of four periods: three steps down from 4000 make 3400, and the load of before, 100 %, one up: 3600.
	check(t, got[len(got)-1:], 3500)
}

// TestPELT: half the utilisation is reached after one half-life, by definition, and left behind after another.
func TestPELT(t *testing.T) {
	var p pelt
	period := time.Duration(peltPeriod * 1024) // 1.048576 ms
	p.run(32*period, 1)
	if u := p.util(); math.Abs(u-512) > 12 { // the current period's weight makes it a little more
		t.Errorf("after 32 periods: %v", u)
	}
	half := p.util()
	p.idle(32 * period)
	if u := p.util(); math.Abs(u-half/2) > 1e-6 {
		t.Errorf("32 idle periods later: %v of %v", u, half)
	}
	p = pelt{}
	p.run(time.Second, 1)
	if u := p.util(); math.Abs(u-1024) > 1e-3 {
		t.Errorf("always running: %v", u)
	}
}

// TestPELTAgainstSum: any split of running and idle time gives what the definition does, summed period by period.
func TestPELTAgainstSum(t *testing.T) {
	var p pelt
	var ran []bool // of each unit of 1024 ns
	for i := range 400 {
		n := 1 + i*i%977
		if i%3 == 0 {
			p.idle(time.Duration(n) * 1024)
		} else {
			p.run(time.Duration(n)*1024, 1)
		}
		for range n {
			ran = append(ran, i%3 != 0)
		}
	}
	current := len(ran) / peltPeriod
	sum := 0.0
	for i, r := range ran {
		if r {
			sum += math.Pow(peltDecay, float64(current-i/peltPeriod))
		}
	}
	want := 1024 * sum / (peltMax - peltPeriod + float64(len(ran)%peltPeriod))
	if got := p.util(); math.Abs(got-want) > 1e-6 {
		t.Errorf("utilisation %v, summed by definition %v", got, want)
	}
}

// TestPELTInvariance: the same work at half the speed, filling the period that was half idle, makes the same utilisation in the
// long run; a core that never idles reaches the full one at any speed.
func TestPELTInvariance(t *testing.T) {
	var fast, slow, full pelt
	period := 10 * time.Millisecond
	for range 100 {
		fast.run(4*time.Millisecond, 1)
		fast.idle(period - 4*time.Millisecond)
		slow.run(8*time.Millisecond, 0.5)
		slow.idle(period - 8*time.Millisecond)
		full.run(5*period, 0.25)
	}
	if a, b := fast.util(), slow.util(); math.Abs(a-b) > 1e-6*a {
		t.Errorf("utilisation %v at full speed, %v at half", a, b)
	}
	if u := full.util(); u < 1020 {
		t.Errorf("busy all the time at a quarter of the speed: %v", u)
	}
}

// TestSchedutil: a core that becomes busy from nothing climbs as its utilisation does: after n ms of running at the speeds
// chosen so far. Worked by hand for the first looks: at 1 GHz of 4 the clock of the utilisation goes at a quarter.
func TestSchedutil(t *testing.T) {
	g := NewSchedutil(paperDomain())
	loads := make([][]int, 400)
	for i := range loads {
		loads[i] = []int{100, 0}
	}
	got := drive(g, 4, loads)
	// After 1 ms: 1e6/1024/4 = 244.1 units; util = 1024*244.1/(47788-1024+244) = 5.3; 4 GHz * 1.25 * 5.3/1024 = 26 MHz.
	if got[0] != 1000*mhz {
		t.Errorf("after 1 ms: %v", got[0])
	}
	// 1 GHz is enough up to a utilisation of 204.8, which is 1 - 0.5^(n/32) = 0.2, n = 10.3 periods of the slowed clock: 43 ms.
	for i, f := range got {
		if up := f > 1000*mhz; up != (i >= 42) {
			if i < 40 || i > 45 {
				t.Fatalf("step %d: %v", i, f)
			}
		}
		if i > 0 && f < got[i-1] {
			t.Fatalf("step %d: down to %v while the core is busy", i, f)
		}
	}
	if last := got[len(got)-1]; last != 4000*mhz {
		t.Errorf("in the end %v", last)
	}
}

// TestSchedutilMargin: in the long run a load of 50 % at the highest frequency asks for 0.5 * 1.25 of it.
func TestSchedutilMargin(t *testing.T) {
	g := NewSchedutil(paperDomain())
	g.Min = 1024 // clamped up: the clock stays at the highest and the utilisation is the load
	s := drive(g, 4, [][]int{{50}, {50}})
	check(t, s, 4000, 4000)
	if u := g.effective(512); u != 1024 {
		t.Errorf("clamped up: %v", u)
	}
	g.Min, g.Max = 0, 1024
	for _, tc := range []struct{ util, want float64 }{{0, 0}, {512, 640}, {819.2, 1024}, {1000, 1024}} {
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
	g := NewSchedutil(Domain{Table: paperTable(), Cores: 1, Delay: 10 * time.Millisecond})
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

func TestDefaults(t *testing.T) {
	if r := samplingRate(paperDomain()); r != 8*time.Millisecond {
		t.Errorf("sampling rate %v", r)
	}
	if r := samplingRate(Domain{Delay: 20 * time.Millisecond}); r != 20*time.Millisecond {
		t.Errorf("sampling rate of a slow driver: %v", r)
	}
	for _, name := range Names() {
		c, err := ByName(name, paperDomain())
		if err != nil || c.Name() != name {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	if _, err := ByName("interactive", paperDomain()); err == nil {
		t.Error("an unknown governor is there")
	}
}
