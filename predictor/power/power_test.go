package power

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

const ghz = units.Frequency(1_000_000_000)

// round is a model with numbers that can be worked by hand: 1 V at 4 GHz, 0.6 V at 2 GHz.
var round = Model{
	VoltsPerGHz: 0.2, VoltsAtZero: 0.2, Reference: 4 * ghz, Static: 10, Core: 5,
	DRAMStatic: 2, DRAMAccess: 20, Platform: 30,
}

// TestSteps works the six steps by hand.
func TestSteps(t *testing.T) {
	for _, tc := range []struct {
		name string
		w    Work
		want Breakdown
	}{
		{
			// 10 W for 10 ms; 12 ms of busy cores at 5 W; 2 W for 10 ms; 1,500 requests of 20 nJ;
			// 30 W for 10 ms.
			"at the reference", Work{Dur: 10 * time.Millisecond, CoreBusy: 12 * time.Millisecond,
				Base: 4 * ghz, F: 4 * ghz, DRAMReads: 1000, DRAMWrites: 500},
			Breakdown{100_000_000, 60_000_000, 20_000_000, 30_000, 300_000_000},
		}, {
			// The same work takes 16 ms at 2 GHz. Step 1: 10 W * 0.6 = 6 W; 2: 16 ms * 6 W = 96 mJ;
			// 3: 60 mJ * 0.6^2 = 21.6 mJ; 4: 16 ms * 2 W = 32 mJ; 5: as before; platform: 16 ms *
			// 30 W = 480 mJ.
			"half the clock", Work{Dur: 16 * time.Millisecond, CoreBusy: 12 * time.Millisecond,
				Base: 4 * ghz, F: 2 * ghz, DRAMReads: 1000, DRAMWrites: 500},
			Breakdown{96_000_000, 21_600_000, 32_000_000, 30_000, 480_000_000},
		}, {
			// 24 ms at 2 GHz are as many cycles as 12 ms at 4 GHz.
			"measured at half the clock", Work{Dur: 16 * time.Millisecond,
				CoreBusy: 24 * time.Millisecond, Base: 2 * ghz, F: 2 * ghz},
			Breakdown{96_000_000, 21_600_000, 32_000_000, 0, 480_000_000},
		}, {
			"nothing ran", Work{Dur: time.Millisecond, Base: 4 * ghz, F: 4 * ghz},
			Breakdown{10_000_000, 0, 2_000_000, 0, 30_000_000},
		},
		{"no time", Work{F: 4 * ghz}, Breakdown{}},
		{"no sense", Work{Dur: -1, CoreBusy: -1, Base: -1, F: -1}, Breakdown{}},
	} {
		got := round.Energy(tc.w)
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", tc.name, got, tc.want)
		}
		if sum := got.CPUStatic + got.CPUDynamic + got.DRAMStatic + got.DRAMDynamic +
			got.Platform; got.Total() != sum {
			t.Errorf("%s: total %d, parts add up to %d", tc.name, got.Total(), sum)
		}
	}
}

// TestLowFrequencyCostsMoreWhereLittleRuns: where little runs, or much power is drawn anyhow, a
// lower frequency costs more. The work scales fully.
func TestLowFrequencyCostsMoreWhereLittleRuns(t *testing.T) {
	board := Table2()
	board.Platform = 40
	for _, tc := range []struct {
		name  string
		m     Model
		cores int
		best  units.Frequency
	}{
		// J for a second's work at 4 GHz, by the parameters at 1, 2, 3, 4 GHz (0.74, 0.85, 0.96,
		// 1.07 V): static 24 W * V/1.07 + 1.5 W, for 4, 2, 4/3, 1 s: 72.4, 41.1, 30.7, 25.5 dynamic
		// 19.2 J * (V/1.07)^2 per core: 9.2, 12.1, 15.5, 19.2
		{"four cores", Table2(), 4, 2 * ghz}, // 109.1, 89.6, 92.5, 102.3
		// 81.6, 53.2, 46.2, 44.7: the clock's own power is small beside the rest
		{"one core", Table2(), 1, 4 * ghz},
		// 40 W of platform add 160, 80, 53.3, 40.
		{"four cores on a board", board, 4, 4 * ghz}, // 269.1, 169.6, 145.9, 142.3
	} {
		best, least := units.Frequency(0), units.Energy(math.MaxInt64)
		for f := ghz; f <= 4*ghz; f += ghz {
			e := tc.m.Energy(
				Work{Dur: time.Second * time.Duration(4*ghz/1e6) / time.Duration(f/1e6),
					CoreBusy: time.Duration(tc.cores) * time.Second, Base: 4 * ghz, F: f},
			)
			t.Logf("%s: %v at %v", tc.name, e.Total(), f)
			if e.Total() < least {
				best, least = f, e.Total()
			}
		}
		if best != tc.best {
			t.Errorf("%s: least energy at %v, want %v", tc.name, best, tc.best)
		}
	}
}

// TestMonotone: at the same duration every part that the clock has to do with falls with it, and
// the others stay. Longer costs more. Parts are never negative.
func TestMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for range 5000 {
		m := Table2()
		m.Static, m.Core = units.Power(rng.Float64()*100), units.Power(rng.Float64()*50)
		m.Platform = units.Power(rng.Float64() * 50)
		w := Work{
			Dur: time.Duration(rng.Int64N(1e10)), CoreBusy: time.Duration(rng.Int64N(1e10)),
			Base: ghz + units.Frequency(rng.Int64N(3e9)),
			F:    ghz + units.Frequency(rng.Int64N(3e9)), DRAMReads: rng.Uint64N(1e9),
			DRAMWrites: rng.Uint64N(1e9),
		}
		at := m.Energy(w)
		lower, longer := w, w
		lower.F -= units.Frequency(rng.Int64N(int64(w.F)))
		longer.Dur += time.Duration(rng.Int64N(1e10))
		l, g := m.Energy(lower), m.Energy(longer)
		if l.CPUStatic > at.CPUStatic || l.CPUDynamic > at.CPUDynamic ||
			l.DRAMStatic != at.DRAMStatic || l.DRAMDynamic != at.DRAMDynamic ||
			l.Platform != at.Platform {
			t.Fatalf("%+v costs %+v, at %v %+v", w, at, lower.F, l)
		}
		if g.CPUStatic < at.CPUStatic || g.CPUDynamic != at.CPUDynamic ||
			g.DRAMStatic < at.DRAMStatic || g.DRAMDynamic != at.DRAMDynamic ||
			g.Platform < at.Platform {
			t.Fatalf("%+v costs %+v, in %v %+v", w, at, longer.Dur, g)
		}
		if min(at.CPUStatic, at.CPUDynamic, at.DRAMStatic, at.DRAMDynamic, at.Platform) < 0 {
			t.Fatalf("%+v costs %+v", w, at)
		}
	}
}

func TestBeyondTheRange(t *testing.T) {
	m := Table2()
	e := m.Energy(Work{Dur: math.MaxInt64, CoreBusy: math.MaxInt64, Base: 4 * ghz, F: 4 * ghz,
		DRAMReads: math.MaxUint64, DRAMWrites: math.MaxUint64})
	if e.CPUStatic != math.MaxInt64 || e.DRAMDynamic != math.MaxInt64 ||
		e.Total() != math.MaxInt64 {
		t.Errorf("%+v, total %d: want the end of the range", e, e.Total())
	}
	if s := e.Plus(e); s != e.Plus(Breakdown{}) || s.Total() != math.MaxInt64 {
		t.Errorf("added: %+v", s)
	}
	if e := (Model{}).Energy(Work{Dur: time.Second, CoreBusy: time.Second, Base: ghz,
		F: ghz}); e.Total() != 0 {
		t.Errorf("the zero model: %+v", e)
	}
}

func TestPlus(t *testing.T) {
	a, b := Breakdown{1, 2, 3, 4, 5}, Breakdown{10, 20, 30, 40, 50}
	if got := a.Plus(b); got != (Breakdown{11, 22, 33, 44, 55}) || got.Total() != 165 {
		t.Errorf("%+v, total %d", got, got.Total())
	}
}

func BenchmarkEnergy(b *testing.B) {
	m := Table2()
	w := Work{Dur: 5 * time.Millisecond, CoreBusy: 20 * time.Millisecond, Base: 4 * ghz, F: 2 * ghz,
		DRAMReads: 100000}
	b.ReportAllocs()
	var sum units.Energy
	for b.Loop() {
		sum = sum.Plus(m.Energy(w).Total())
	}
	_ = sum
}
