package simtest

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// TestOthersAndQuotas: a program that computes takes as much longer as fair turns with other
// programs and its quota say, at 4 GHz and at 2.
func TestOthersAndQuotas(t *testing.T) {
	p, err := hardware.ByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	mix := Mix{Name: "compute", CPI: 0.5}
	w := Workload{Name: "loop", Threads: 1, Build: func(b *Builder) {
		b.Thread("app", App, func(t *Thread) {
			for range 1000 {
				t.Run(&mix, 16_000_000) // 2 ms at 4 GHz
			}
		})
	}}
	beside := func(share, weight float64, clocked bool) (list []Other) {
		for c := range p.Cores {
			list = append(list, Other{Core: c, Share: share, Weight: weight, Clocked: clocked})
		}
		return list
	}
	for _, c := range []struct {
		name string
		o    Options
		// the time at 4 and at 2 GHz over that alone
		fast, slow float64
	}{
		{"alone", Options{}, 1, 1},
		{"a spinner", Options{Others: beside(1, 1, false)}, 2, 2},
		{"a heavy one", Options{Others: beside(1, 3, false)}, 4, 4},
		{"a light one", Options{Others: beside(1, 0.5, true)}, 1.5, 1.5},
		{"half a CPU", Options{Quota: Quota{CPUs: 0.5}}, 2, 2},
		{"a quota in short periods", Options{Quota: Quota{CPUs: 0.25,
			Period: 10 * time.Millisecond}}, 4, 4},
		{"a quota that suffices", Options{Quota: Quota{CPUs: 1.5}}, 1, 1},
		{"both", Options{Others: beside(1, 1, false), Quota: Quota{CPUs: 0.25}}, 4, 4},
	} {
		for _, x := range []struct{ ghz, times float64 }{{4, c.fast}, {2, c.slow}} {
			truth, err := Static(p, w, c.o, units.Frequency(x.ghz*1e9))
			if err != nil {
				t.Fatal(err)
			}
			want := 2 * 4 / x.ghz * x.times
			if got := truth.Wall.Seconds(); math.Abs(got/want-1) > 0.04 {
				t.Errorf("%s at %v GHz: %.3f s, want %.3f", c.name, x.ghz, got, want)
			}
			th := &truth.Threads[0]
			if len(truth.Threads) != 1 || th.Run+th.Ready+th.Asleep != th.End.Sub(th.Start) {
				t.Errorf("%s: %d threads, the first %+v", c.name, len(truth.Threads), th)
			}
		}
	}
	for _, o := range []Options{{Others: []Other{{Core: p.Cores, Share: 1}}},
		{Others: []Other{{Share: 1.5}}}, {Others: []Other{{Share: 1, Burst: -1}}},
		{Quota: Quota{CPUs: -1}}} {
		if _, err := New(p, w, o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
}
