package hardware_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// randomInterval is some work of at most most ns.
func randomInterval(r *rand.Rand, p *hardware.Profile, most float64) hardware.Interval {
	iv := hardware.Interval{
		Ns:        math.Floor(r.Float64()*most*1000)/1000 + 0.001,
		Frequency: p.States[r.IntN(len(p.States))],
		Cores:     make([]hardware.Activity, p.Cores),
	}
	for i := range iv.Cores {
		a := &iv.Cores[i]
		a.Running = r.IntN(3) > 0
		a.Halted = r.IntN(20) == 0
		if a.Running && !a.Halted {
			a.StalledNs = r.Float64() * iv.Ns
			a.Instructions = r.Float64() * 8 * iv.Ns
		}
	}
	iv.L3 = r.Float64() * iv.Ns
	iv.DRAMReads, iv.DRAMWrites = r.Float64()*0.1*iv.Ns, r.Float64()*0.1*iv.Ns
	return iv
}

// TestEnergyIsConserved: over many intervals the meter's sums equal those of exact arithmetic on
// the same amounts, part by part; zones are the sums of their parts and never fall.
func TestEnergyIsConserved(t *testing.T) {
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	p := machine("paper")
	p.Power.Heat.Resistance = 0 // at a fixed temperature a test can compute the amounts
	p.Power.Heat.Ambient = p.Power.Heat.Reference
	m := hardware.NewMeter(&p.Power, p.Cores, nil)
	var want [6]big.Float
	var ns float64
	var last hardware.Energy
	kinds := make([]hardware.Interval, 50)
	for i := range kinds {
		kinds[i] = randomInterval(r, &p, 3000)
	}
	add := func(i int, nj float64) { want[i].Add(&want[i], big.NewFloat(nj)) }
	for n := range 200_000 {
		iv := &kinds[r.IntN(len(kinds))]
		m.Account(iv)
		ns += iv.Ns
		v := p.Power.Voltage(iv.Frequency)
		var dynamic float64
		for _, c := range iv.Cores {
			cycles := float64(iv.Frequency) / 1e9 * iv.Ns
			switch {
			case c.Halted:
				cycles = 0
			case c.Running:
				cycles *= 1 - c.StalledNs/iv.Ns*p.Power.Core.Gated
			default:
				cycles *= p.Power.Core.Idle
			}
			dynamic += c.Instructions*p.Power.Core.Instruction + cycles*p.Power.Core.Cycle
		}
		add(0, (dynamic+iv.L3*p.Power.Core.L2)*p.Power.Switching(v))
		add(1, 4*float64(p.Power.Core.Static)*p.Power.Leakage(v)*iv.Ns)
		add(2, iv.L3*p.Power.Uncore.L3+(iv.DRAMReads+iv.DRAMWrites)*p.Power.Uncore.Line)
		add(3, float64(p.Power.Uncore.Static)*iv.Ns)
		add(4, float64(p.Power.Memory.Access(iv.DRAMReads, iv.DRAMWrites)))
		add(5, m.Background((iv.DRAMReads+iv.DRAMWrites)/iv.Ns)*iv.Ns)
		if n%1000 != 0 {
			continue
		}
		e := m.Sum()
		parts := [...]units.Energy{e.CoreDynamic, e.CoreStatic, e.UncoreDynamic, e.UncoreStatic,
			e.DRAMAccess, e.DRAMBackground}
		for i, got := range parts {
			if w, _ := want[i].Float64(); math.Abs(float64(got)-w) > 2+1e-9*w {
				t.Fatalf("seed %d: after %d intervals part %d is %d nJ, want %.3f", seed, n+1, i,
					got, w)
			}
		}
		if e.Total() != parts[0]+parts[1]+parts[2]+parts[3]+parts[4]+parts[5] ||
			e.Total() != e.Package()+e.DRAM() || e.Cores() != parts[0]+parts[1] {
			t.Fatalf("seed %d: zones of %+v do not add up", seed, e)
		}
		d := e.Minus(last)
		if min(d.CoreDynamic, d.CoreStatic, d.UncoreDynamic, d.UncoreStatic, d.DRAMAccess,
			d.DRAMBackground) < 0 || last.Plus(d) != e {
			t.Fatalf("seed %d: energy went from %+v to %+v", seed, last, e)
		}
		last = e
	}
	if got := float64(m.Now()) / 1000; math.Abs(got-ns) > 1 {
		t.Errorf("seed %d: the meter's time is %.3f ns, %.3f ns passed", seed, got, ns)
	}
}

// TestCutAnywhere: the same work in one interval or in many costs the same but for rounding, also
// when the die warms meanwhile.
func TestCutAnywhere(t *testing.T) {
	const seed = 2
	r := rand.New(rand.NewPCG(seed, 0))
	p := machine("paper")
	for range 100 {
		whole := randomInterval(r, &p, 50e6)
		one := hardware.NewMeter(&p.Power, p.Cores, nil)
		many := hardware.NewMeter(&p.Power, p.Cores, nil)
		one.Account(&whole)
		const n = 1000
		piece := whole
		piece.Cores = append([]hardware.Activity(nil), whole.Cores...)
		piece.Ns, piece.L3 = whole.Ns/n, whole.L3/n
		piece.DRAMReads, piece.DRAMWrites = whole.DRAMReads/n, whole.DRAMWrites/n
		for i := range piece.Cores {
			piece.Cores[i].Instructions /= n
			piece.Cores[i].StalledNs /= n
		}
		for range n {
			many.Account(&piece)
		}
		a, b := one.Sum(), many.Sum()
		if d := math.Abs(float64(a.Total() - b.Total())); d > 10+1e-4*float64(a.Total()) {
			t.Errorf("seed %d: %+v in one piece, %+v in %d", seed, a, b, n)
		}
	}
}

// TestSleepingCoreLeaksATenth: a core that idles leaks until it sleeps, and then a tenth, in
// however many intervals; running ends its sleep.
func TestSleepingCoreLeaksATenth(t *testing.T) {
	p := machine("hwp").WithCores(1)
	p.Power.Heat.Resistance, p.Power.Heat.Ambient = 0, p.Power.Heat.Reference
	leak := float64(p.Power.Core.Static) * p.Power.Leakage(p.Power.Voltage(ghz))
	// 1 ms idle, 1 ms running, 0.2 ms idle: 0.3 + 0.7 * 0.1, 1 and 0.2 ms of leakage.
	want := leak * (0.3 + 0.07 + 1 + 0.2) * 1e6
	for _, pieces := range []int{1, 7, 1000} {
		m := hardware.NewMeter(&p.Power, p.Cores, nil)
		for _, part := range []struct {
			ns      float64
			running bool
		}{{1e6, false}, {1e6, true}, {0.2e6, false}} {
			for range pieces {
				m.Account(&hardware.Interval{Ns: part.ns / float64(pieces), Frequency: ghz,
					Cores: []hardware.Activity{{Running: part.running}}})
			}
		}
		if got := float64(m.Sum().CoreStatic); math.Abs(got-want) > 10 {
			t.Errorf("in %d pieces: %.0f nJ leaked, want %.0f", pieces, got, want)
		}
	}
}

// TestBackground: the table is the formula, from an idle memory to more than it can move; the power
// rises with the rate, from powered down to active.
func TestBackground(t *testing.T) {
	p := machine("paper")
	m := hardware.NewMeter(&p.Power, p.Cores, nil)
	last := 0.0
	for rate := 0.0; rate < 0.5; rate = rate*1.01 + 1e-7 {
		got, want := m.Background(rate), float64(p.Power.Memory.Background(rate))
		if math.Abs(got-want) > 1e-4*want {
			t.Fatalf("%v lines/ns: %.5f W by the table, %.5f W by the formula", rate, got, want)
		}
		if got < last {
			t.Fatalf("%v lines/ns: %.5f W, less than at a lower rate", rate, got)
		}
		last = got
	}
	ranks := float64(p.Power.Memory.Ranks)
	if idle := m.Background(0); math.Abs(idle-ranks*float64(p.Power.Memory.PowerDown)) > 1e-9 {
		t.Errorf("an idle memory draws %v W", idle)
	}
	if last > ranks*float64(p.Power.Memory.Active) {
		t.Errorf("a busy memory draws %v W, more than active", last)
	}
}

func TestMeterAllocatesNothing(t *testing.T) {
	p := machine("paper")
	m := hardware.NewMeter(&p.Power, p.Cores, nil)
	iv := randomInterval(rand.New(rand.NewPCG(3, 0)), &p, 3e6)
	if n := testing.AllocsPerRun(1000, func() { m.Account(&iv) }); n != 0 {
		t.Errorf("%v allocations an interval", n)
	}
}

func BenchmarkAccount(b *testing.B) {
	p := machine("paper")
	m := hardware.NewMeter(&p.Power, p.Cores, nil)
	iv := randomInterval(rand.New(rand.NewPCG(3, 0)), &p, 3000)
	b.ReportAllocs()
	for b.Loop() {
		m.Account(&iv)
	}
}
