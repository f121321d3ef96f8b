package energy

import (
	"math"
	"runtime"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

// TestManyFunctions: however many records its functions have, and however they differ, a long run
// takes no more than 1 KiB for each.
func TestManyFunctions(t *testing.T) {
	random := devtest.Rand(t)
	live := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := live()
	all := make([]*Invocations, 5000)
	for i := range all {
		all[i] = &Invocations{}
	}
	for range 400 {
		for _, inv := range all {
			inv.Add(&Invocation{Energy: units.Energy(math.Exp2(50 * random.Float64()))}, 1)
		}
	}
	if each := (live() - before) / len(all); each > 1024 {
		t.Errorf("%d bytes for each function", each)
	}
	runtime.KeepAlive(all)
}

// TestBins: each record is in the bin whose range it lies in, whatever energies there were before;
// functions of two processes have the same bins as one of both.
func TestBins(t *testing.T) {
	random := devtest.Rand(t)
	for _, octaves := range []float64{0, 1, 7, 9, 20, 62} {
		var energies []units.Energy
		var whole, a, b Invocations
		for i := range 2000 {
			e := units.Energy(math.Exp2(octaves * random.Float64()))
			if i%100 == 7 {
				e = 0
			}
			energies = append(energies, e)
			whole.Add(&Invocation{Energy: e}, 1)
			if i < 10 {
				a.Add(&Invocation{Energy: e}, 1)
			} else {
				b.Add(&Invocation{Energy: e}, 1)
			}
		}
		narrow := b
		narrow.bins = append([]invocationBin(nil), b.bins...)
		few := a
		few.bins = append([]invocationBin(nil), a.bins...)
		a.Merge(&b)
		narrow.Merge(&few)
		bins := whole.Bins()
		for i, x := range bins {
			n := 0
			for _, e := range energies {
				low, high := float64(x.From), float64(x.To)+1 // they are rounded down
				if v := float64(e); number(e)>>whole.widened == whole.bins[i].number {
					n++
					if v < low || v >= high {
						t.Errorf("%v octaves: %v from %v to %v", octaves, e, x.From, x.To)
					}
				}
			}
			if n != x.Records {
				t.Errorf("%v octaves: %d records from %v to %v, not %d", octaves, x.Records,
					x.From, x.To, n)
			}
			if x != a.Bins()[i] || x != narrow.Bins()[i] {
				t.Errorf("%v octaves: merged %+v and %+v, not %+v", octaves, a.Bins()[i],
					narrow.Bins()[i], x)
			}
			if wide := math.Log2(float64(x.To) / float64(x.From)); octaves == 7 && x.From > 64 &&
				math.Abs(wide-0.25) > 0.02 {
				t.Errorf("a bin of %v octaves where there is room for narrow ones", wide)
			}
		}
	}
}
