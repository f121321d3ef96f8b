package profile

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/render/printable"
)

// TestByTime: a profile whose model is not believed has CPU time, with nothing of the model's
// energies, and adds up as any other.
func TestByTime(t *testing.T) {
	p := &Profile{RateHz: 100, WallNS: 5e9, Rules: []string{"ledger", "equal"},
		Zones: []Zone{{Name: "machine", Source: "trained", TotalNJ: 50e9, Attr: []int64{9e9, 8e9},
			OthersNJ: []int64{1e9, 2e9}, IdleNJ: []int64{40e9, 40e9}, RestNJ: []int64{0, 0}}},
		Threads: []Thread{{TID: 1, PID: 1, Comm: "a", Phase: Application, RunNS: 4e9}},
		Frames: []Frame{{Name: "hot", Module: "m", Kind: "native"},
			{Name: "cold", Module: "m", Kind: "native"},
			{Name: "0x10", Module: "m", Kind: "placed"},
			{Name: continuation, Module: "[java]", Kind: "java"}},
		Stacks: []Stack{
			{Frames: []int{0}, Samples: 300, CPUNS: 3e9, EnergyNJ: []int64{8e9, 7e9},
				ByZone: []int64{8e9}, Squares: 1e18, ByFrequency: []AtFrequency{{FreqHz: 1e9,
					Samples: 300, CPUNS: 3e9, EnergyNJ: []int64{8e9, 7e9}, Squares: 1e18}}},
			{Frames: []int{1}, Samples: 100, CPUNS: 1e9, EnergyNJ: []int64{1e9, 1e9},
				ByZone: []int64{1e9}, Squares: 1e16},
			{Frames: []int{2}, Samples: 20, CPUNS: 2e8, EnergyNJ: []int64{9e8, 8e8},
				ByZone: []int64{9e8}, Squares: 1e16},
			{Frames: []int{1, 3}, Samples: 30, CPUNS: 3e8, EnergyNJ: []int64{7e8, 6e8},
				ByZone: []int64{7e8}, Squares: 1e16}},
		Nameless:  []Nameless{{Module: "m", Path: "/m", EnergyNJ: []int64{9e8, 8e8}}},
		VirtualNJ: []int64{7e8, 6e8},
		Timeline:  []Point{{DurNS: 5e9, Watts: 10}},
		Functions: &Functions{List: []Function{{Name: "hot", Calls: 3, Records: 1, CPUNS: 5e8,
			MeanNJ: 7e9, MostNJ: 8e9}}}}
	if !p.Joules() {
		t.Fatal("a trained model has joules")
	}
	p.Price(&Counts{List: []CountedCalls{{Name: "hot", Shown: "hot", Module: "m", Calls: 3}}})
	cost := p.Counts.CostNS
	p.ByTime()
	if err := p.Check(); err != nil || p.Joules() {
		t.Fatalf("%v, %+v", err, p.Zones)
	}
	if n := p.Nameless; len(n) != 1 || !slices.Equal(n[0].EnergyNJ, []int64{2e8}) ||
		!slices.Equal(p.VirtualNJ, []int64{3e8}) {
		t.Errorf("without names %+v, virtual threads %v", n, p.VirtualNJ)
	}
	if x := p.Counts.List[0]; math.Abs(x.With.MeanNJ-1e9) > 1 || p.Counts.CostNS != cost {
		t.Errorf("a call took %+v; counting %d ns, before %d", x.With, p.Counts.CostNS, cost)
	}
	v, err := NewView(p, "method", nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := p.Rows(v, 0)
	if len(rows) != 3 || rows[0].Unit != "hot" || math.Abs(rows[0].Share-3/4.5) > 1e-9 ||
		rows[0].Energy != 3e9 ||
		rows[0].Low > 2./3 || rows[0].High < 2./3 || rows[0].High-rows[0].Low > 0.2 {
		t.Errorf("%+v", rows)
	}
	var text bytes.Buffer
	if err := p.WriteText(&text, rows, 0, 0, printable.All); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"J ", "watts", "energy", "trained"} {
		if strings.Contains(text.String(), wrong) {
			t.Errorf("%q in\n%s", wrong, text.String())
		}
	}
	if got := p.Amounts().One(p.Functions.List[0].MeanNJ); got != "500 ms" {
		t.Errorf("an invocation takes %s", got)
	}
	for _, want := range []string{"4.500 s of the program", "66.7%"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// TestAmounts: CPU time is written as times, energy as before.
func TestAmounts(t *testing.T) {
	energy, busy := Amounts{}, Amounts{time: true}
	for _, c := range [][2]string{{energy.One(1500), "1.5 µJ"}, {busy.One(1500), "1.5 µs"},
		{busy.One(123456789), "123 ms"}, {energy.ofCall(2.5), "2.5 nJ"},
		{busy.ofCall(2.5), "2.5 ns"},
		{busy.Column(5e9)(1234567890), "1.235 s"}, {energy.Column(5e9)(1234567890), "1.23 J"}} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
