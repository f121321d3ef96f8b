package baseline

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var points []point
	for range 20 {
		x, y := r.Float64()*3, r.Float64()*0.01
		points = append(points, point{x, y, 0.7*x - 40*y + 0.3})
	}
	p, ok := fit(points)
	if !ok || math.Abs(p.a-0.7) > 1e-9 || math.Abs(p.b+40) > 1e-6 || math.Abs(p.c-0.3) > 1e-9 {
		t.Errorf("%+v, %v", p, ok)
	}
	line := []point{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}}
	if p, ok := fit(line); ok {
		t.Errorf("points on a line gave a plane: %+v", p)
	}
	if _, ok := fit(points[:2]); ok {
		t.Error("two points gave a plane")
	}
}

// model is a machine of three states on which a program's cycles per instruction are core + lines *
// 80 ns * f, and power is 2 + 3 f^2 * core/CPI + 50 TPI (f in GHz).
func toy(core, tpi, ghz float64) signature {
	cpi := core + tpi*80*ghz
	return signature{Time: 1e8 * cpi / ghz, CPI: cpi, TPI: tpi,
		Power: 2 + 3*ghz*ghz*core/cpi + 50*tpi}
}

func toyModel(t *testing.T) *Model {
	table := Table{1000 * mhz, 2000 * mhz, 4000 * mhz}
	var measured [][]signature
	for i := range 8 {
		var row []signature
		for _, f := range table {
			row = append(row, toy(0.4+0.1*float64(i%3), 0.003*float64(i), float64(f)/1e9))
		}
		measured = append(measured, row)
	}
	m, err := learn(table, measured)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestProjectionIsExactOnLinearCycles: where cycles are linear in lines, as on the toy machine, the
// projected time is exact.
func TestProjectionIsExactOnLinearCycles(t *testing.T) {
	m := toyModel(t)
	for from := range m.Table {
		for to := range m.Table {
			s := toy(0.55, 0.01, float64(m.Table[from])/1e9)
			want := toy(0.55, 0.01, float64(m.Table[to])/1e9)
			ns, watts := m.project(s, from, to)
			if math.Abs(ns-want.Time) > 1e-6*want.Time {
				t.Errorf("%d to %d: %v ns, want %v", from, to, ns, want.Time)
			}
			if math.Abs(watts-want.Power) > 0.35*want.Power {
				t.Errorf("%d to %d: %v W, want about %v", from, to, watts, want.Power)
			}
		}
	}
}

// TestEAR: the least projected energy of the states whose projected time is below the limit;
// compared with a plain search.
func TestEAR(t *testing.T) {
	m := toyModel(t)
	for _, tpi := range []float64{0, 0.001, 0.003, 0.01, 0.02} {
		for _, penalty := range []float64{0, 0.05, 0.2, 1, 5} {
			for from, at := range m.Table {
				g := NewEAR(m, penalty)
				sig := toy(0.5, tpi, float64(at)/1e9)
				top, topW := m.project(sig, from, 2)
				want, least := 2, top*topW
				for to := range 2 {
					if ns, w := m.project(sig, from, to); ns < top*(1+penalty) && ns*w < least {
						want, least = to, ns*w
					}
				}
				if got := g.choose(sig, at); got != m.Table[want] {
					t.Errorf("TPI %v, penalty %v, from %v: %v, want %v", tpi, penalty, at, got,
						m.Table[want])
				}
				if penalty == 0 && g.choose(sig, at) != m.Table[2] {
					t.Errorf("TPI %v, no penalty: %v", tpi, g.choose(sig, at))
				}
			}
		}
	}
}

// TestEARSamples: signatures are differences of totals over a period.
func TestEARSamples(t *testing.T) {
	g := NewEAR(toyModel(t), 0.2)
	s := Sample{At: 1e9, Frequency: 4000 * mhz}
	if _, ok := g.Sample(&s); ok {
		t.Error("decided before the first period was over")
	}
	step := func(core, tpi float64) units.Frequency {
		sig := toy(core, tpi, float64(s.Frequency)/1e9)
		const n = 1e8
		s.At = s.At.Add(100 * time.Millisecond)
		s.Instructions += n
		s.Cycles += sig.CPI * n
		s.Lines += tpi * n
		s.Energy += units.Power(sig.Power).For(100 * time.Millisecond)
		if f, ok := g.Sample(&s); ok {
			s.Frequency = f
		}
		return s.Frequency
	}
	if f := step(0.5, 0); f != 4000*mhz {
		t.Errorf("a program that scales: %v", f)
	}
	if f := step(0.5, 0.021); f >= 4000*mhz {
		t.Errorf("a program that waits for memory: %v", f)
	}
	if f := step(0.5, 0); f != 4000*mhz {
		t.Errorf("and one that scales again: %v", f)
	}
	s.At = s.At.Add(100 * time.Millisecond)
	if _, ok := g.Sample(&s); ok {
		t.Error("decided on a period without instructions")
	}
}
