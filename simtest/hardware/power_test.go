package hardware_test

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

const (
	mhz units.Frequency = 1_000_000
	ghz units.Frequency = 1_000_000_000
)

// machine is the hardware of that name.
func machine(name string) hardware.Profile {
	p, err := hardware.ByName(name)
	if err != nil {
		panic(err)
	}
	return p
}

// load is steady work: cores with so many instructions per cycle while not stalled, stalled for
// this share of the time, with accesses and lines per ns.
type load struct {
	cores        int
	ipc, stalled float64
	l3           float64
	reads, write float64
}

var (
	// computeBound has two instructions a cycle and next to no traffic.
	computeBound = load{cores: 4, ipc: 2, l3: 0.02}
	// memoryBound waits for memory three quarters of the time, at 10 GB/s.
	memoryBound = load{cores: 4, ipc: 1.4, stalled: 0.75, l3: 0.25, reads: 0.11, write: 0.045}
)

// spend is the energy of a load in a second of machine time, after two that warm the die.
func spend(p *hardware.Profile, f units.Frequency, l load) hardware.Energy {
	m := hardware.NewMeter(&p.Power, p.Cores, nil)
	iv := hardware.Interval{Ns: 1e6, Frequency: f, Cores: make([]hardware.Activity, p.Cores),
		L3: l.l3 * 1e6, DRAMReads: l.reads * 1e6, DRAMWrites: l.write * 1e6}
	for i := range min(l.cores, p.Cores) {
		iv.Cores[i] = hardware.Activity{Running: true,
			Instructions: l.ipc * float64(f) / 1e9 * (1 - l.stalled) * 1e6,
			StalledNs:    l.stalled * 1e6}
	}
	var before hardware.Energy
	for i := range 3000 {
		if i == 2000 {
			before = m.Sum()
		}
		m.Account(&iv)
	}
	return m.Sum().Minus(before)
}

// TestShares measures where a second's energy goes, and holds the documentation of the power
// parameters to it.
func TestShares(t *testing.T) {
	p := machine("paper")
	for _, tc := range []struct {
		name        string
		f           units.Frequency
		l           load
		watts, dram float64 // package and memory, W
		// % of the package: cores' dynamic, cores' static, all beyond the cores
		dynamic, static, uncore float64
	}{
		{"compute-bound", 4 * ghz, computeBound, 73.4, 1.7, 68, 21, 11},
		{"compute-bound", 3700 * mhz, computeBound, 64, 1.7, 67, 20, 13},
		{"memory-bound", 4 * ghz, memoryBound, 35, 5.6, 44, 32, 24},
		{"compute-bound", 1 * ghz, computeBound, 17.2, 1.7, 34, 19, 47},
		{"memory-bound", 1 * ghz, memoryBound, 13.6, 5.6, 13, 24, 63},
		{"idle", 4 * ghz, load{}, 18.5, 1.7, 4, 53, 43},
	} {
		e := spend(&p, tc.f, tc.l)
		share := func(x units.Energy) float64 { return 100 * float64(x) / float64(e.Package()) }
		for _, c := range []struct {
			what         string
			got, want, d float64
		}{
			{"package, W", float64(e.Package()) / 1e9, tc.watts, 0.5},
			{"memory, W", float64(e.DRAM()) / 1e9, tc.dram, 0.1},
			{"cores' dynamic share, %", share(e.CoreDynamic), tc.dynamic, 1},
			{"cores' static share, %", share(e.CoreStatic), tc.static, 1},
			{"share beyond the cores, %", share(e.UncoreDynamic + e.UncoreStatic), tc.uncore, 1},
		} {
			t.Logf("%s at %v: %s: %.1f", tc.name, tc.f, c.what, c.got)
			if math.Abs(c.got-c.want) > c.d {
				t.Errorf("%s at %v: %s: %.1f, want %.1f", tc.name, tc.f, c.what, c.got, c.want)
			}
		}
	}
}

// TestVoltages: Table 2's points exactly, straight lines between, constant beyond.
func TestVoltages(t *testing.T) {
	p := machine("paper")
	for f, v := range map[units.Frequency]float64{
		500 * mhz: 0.737, 1 * ghz: 0.737, 1500 * mhz: 0.791, 2 * ghz: 0.845, 2500 * mhz: 0.899,
		3 * ghz: 0.958, 3500 * mhz: 1.012, 4 * ghz: 1.07,
		5 * ghz: 1.07, 1250 * mhz: 0.764, 3750 * mhz: 1.041,
	} {
		if got := p.Power.Voltage(f); math.Abs(got-v) > 1e-12 {
			t.Errorf("%v V at %v, want %v", got, f, v)
		}
	}
}

// TestLeakage: it rises faster than the voltage and slower than its fifth power, and with the
// temperature.
func TestLeakage(t *testing.T) {
	p := machine("paper").Power
	for v := 0.737; v < 1.07; v += 0.01 {
		l, r := p.Leakage(v), v/1.07
		if l >= r*r || l <= math.Pow(r, 5) {
			t.Errorf("at %.3f V leakage falls to %.3f, not between V^5 %.3f and V^2 %.3f", v, l,
				math.Pow(r, 5), r*r)
		}
	}
	if l := p.Leakage(0.737); math.Abs(l-0.342) > 0.001 {
		t.Errorf("leakage at 0.737 V falls to %.3f, its documentation says a third", l)
	}
	cool, hot := machine("paper"), machine("paper")
	cool.Power.Heat.Ambient, hot.Power.Heat.Ambient = 30, 70
	c, h := spend(&cool, 4*ghz, computeBound), spend(&hot, 4*ghz, computeBound)
	// 40 K and the leakage's own heat are more than one e-fold.
	if r := float64(h.CoreStatic) / float64(c.CoreStatic); r < math.E || r > 5 {
		t.Errorf("40 K make leakage %.2f-fold", r)
	}
	if h.CoreDynamic != c.CoreDynamic {
		t.Error("dynamic energy depends on the temperature")
	}
}

// scaled is the energy of work of which a share does not scale, for a second at the highest
// frequency's worth of it.
func scaled(p *hardware.Profile, f units.Frequency, fixed float64) float64 {
	longer := (1-fixed)*float64(p.Highest())/float64(f) + fixed
	l := load{cores: p.Cores, ipc: 2 - 0.8*fixed, stalled: fixed / longer,
		l3: (0.02 + 0.28*fixed) / longer, reads: 0.13 * fixed / longer,
		write: 0.055 * fixed / longer}
	return float64(spend(p, f, l).Total()) * longer
}

// TestLeastEnergy: where the frequency of least energy lies for work that scales fully, and what it
// saves.
func TestLeastEnergy(t *testing.T) {
	for _, tc := range []struct {
		profile    string
		lo, hi     units.Frequency
		save, loss float64 // at the best and at the lowest frequency, % of the highest's
	}{
		{"paper", 2 * ghz, 2250 * mhz, 19, -1}, {"haswell-ep", 1800 * mhz, 2200 * mhz, 12, 0},
		{"rome", 2200 * mhz, 2200 * mhz, 4, -2},
		{"hwp", 2 * ghz, 2400 * mhz, 45, 15}, {"leaky", 4 * ghz, 4 * ghz, 0, -137},
	} {
		p, err := hardware.ByName(tc.profile)
		if err != nil {
			t.Fatal(err)
		}
		top := scaled(&p, p.Highest(), 0)
		best, least := p.Highest(), top
		for _, f := range p.States {
			if e := scaled(&p, f, 0); e < least {
				best, least = f, e
			}
		}
		saved, lowest := 100*(1-least/top), 100*(1-scaled(&p, p.Lowest(), 0)/top)
		t.Logf("%s: %v saves %.1f %%, the lowest state %.1f %%", tc.profile, best, saved, lowest)
		if best < tc.lo || best > tc.hi || math.Abs(saved-tc.save) > 1 ||
			math.Abs(lowest-tc.loss) > 2 {
			t.Errorf("%s: %v saves %.1f %%, the lowest state %.1f %%, want %v to %v, %v and %v",
				tc.profile, best, saved, lowest, tc.lo, tc.hi, tc.save, tc.loss)
		}
	}
}
