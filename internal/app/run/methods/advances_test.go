package methods

import (
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/predictor/sensitivity"
)

// TestAdvances: registers are compared within one function of one thread, and nothing else of them
// is passed on. Any number of threads is taken.
func TestAdvances(t *testing.T) {
	var a advances
	none := sensitivity.Advance{}
	step := func(id epochs.TID, fn sensitivity.FunctionNumber, rax uint64) sensitivity.Advance {
		return a.since(id, fn, &stacks.Registers{0: rax, 7: 0x7ffc0000, 16: rax})
	}
	want := sensitivity.Advance{0: sensitivity.Advanced(10, 30)}
	for _, c := range []struct {
		id   epochs.TID
		fn   sensitivity.FunctionNumber
		rax  uint64
		want sensitivity.Advance
	}{{1, 0, 10, none}, {2, 0, 20, none}, {1, 0, 30, want}, {1, 1, 40, none}, {1, 0, 50, none},
		{1, sensitivity.UnknownFunction, 60, none},
		{1, sensitivity.UnknownFunction, 70, none}, {1, 0, 80, none},
		{3, sensitivity.UnknownFunction, 0, none}} {
		if got := step(c.id, c.fn, c.rax); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if len(a.threads) != 2 {
		t.Errorf("%d threads", len(a.threads))
	}
	for i := range 3 * maxAdvancing {
		step(epochs.TID(10+i), 0, 1)
	}
	if len(a.threads) > maxAdvancing {
		t.Errorf("%d threads", len(a.threads))
	}
}

// BenchmarkAdvance: what the registers of a sample cost.
func BenchmarkAdvance(b *testing.B) {
	var a advances
	r := stacks.Registers{}
	for i := range b.N {
		for j := range r {
			r[j] += uint64(i * j)
		}
		a.since(1, 0, &r)
	}
}
