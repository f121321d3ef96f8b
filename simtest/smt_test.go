package simtest

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// smt is the paper's machine with two hardware threads on each of two cores.
func smt(t *testing.T, seed uint64) hardware.Profile {
	t.Helper()
	p, err := paper().WithSMT(seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSiblingsShareACore: beside a busy sibling, the program's own or another's, a thread that
// computes has its profile's share of its speed, at each frequency.
func TestSiblingsShareACore(t *testing.T) {
	const n = 4_000_000_000 // 0.5 s at 4 GHz
	for seed := range uint64(5) {
		p := smt(t, seed)
		share := p.SMT.Compute
		for _, clock := range []units.Frequency{4 * testGHz, 2 * testGHz} {
			took := func(threads int, o Options) float64 {
				return static(t, p, alone(&computeMix, threads, n), o, clock).Wall.Seconds()
			}
			one := took(1, Options{})
			spinners := []Other{{Core: 1, Share: 1}, {Core: 3, Share: 1}}
			for _, c := range []struct {
				name string
				got  float64
				want float64
			}{
				{"two on two cores", took(2, Options{}), one},
				{"four on two cores", took(4, Options{}), one / share},
				// It has the other core to itself for as long as the third runs.
				{"three on two cores", took(3, Options{}), one / share},
				{"beside a spinner", took(1, Options{Others: spinners}), one / share},
			} {
				if math.Abs(c.got/c.want-1) > 0.01 {
					t.Errorf("seed %d, %s at %v: %.2f ms, want %.2f", seed, c.name, clock,
						1e3*c.got, 1e3*c.want)
				}
			}
		}
	}
}

// TestSiblingComesAndGoes: a sibling that runs for half of the time costs half of what one costs
// that always runs.
func TestSiblingComesAndGoes(t *testing.T) {
	p := smt(t, 1)
	w := alone(&computeMix, 1, 4_000_000_000)
	alone := static(t, p, w, Options{}, p.Highest()).Wall.Seconds()
	half := static(t, p, w, Options{Seed: 3, Others: []Other{{Core: 1, Share: 0.5,
		Burst: time.Millisecond}}}, p.Highest()).Wall.Seconds()
	want := 1 / (1 - 0.5*(1-p.SMT.Compute))
	if math.Abs(half/alone/want-1) > 0.02 {
		t.Errorf("%.3f times as long, want %.3f", half/alone, want)
	}
}

// TestSharedCoresDrawLess: two threads on the two hardware threads of one core need less than two
// on cores of their own draw, and more than one.
func TestSharedCoresDrawLess(t *testing.T) {
	p := smt(t, 2)
	watts := func(threads int) float64 {
		tr := static(t, p, alone(&computeMix, threads, 400_000_000), Options{}, p.Highest())
		return float64(tr.Energy.Cores()) / float64(tr.Wall)
	}
	one, two, four := watts(1), watts(2), watts(4)
	if r := (four - two) / (two - one); !(r > 0.1 && r < 0.9) {
		t.Errorf("%.1f W with one thread, %.1f on two cores, %.1f on all hardware threads", one,
			two, four)
	}
}
