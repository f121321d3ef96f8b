package attribution

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// TestFormula: 84 W on four CPUs; one second of one at the highest frequency is 0.7 * 84 / 4 J, at
// half the frequency and voltage an eighth of it.
func TestFormula(t *testing.T) {
	m := NewFormula(TDP{Power: 84, Highest: 4e9,
		Voltage: func(f units.Frequency) float64 { return float64(f) / 4e9 },
		CPUs:    []energy.CPU{0, 1, 2, 3}})
	for _, tt := range []struct {
		run  energy.Run
		want units.Energy
	}{
		{energy.Run{Frequency: 4e9, Alone: time.Second}, 14_700_000_000},
		{energy.Run{Frequency: 2e9, Alone: time.Second}, 1_837_500_000},
		{energy.Run{Frequency: 0, Alone: time.Second}, 14_700_000_000}, // not known: the highest
		{energy.Run{Frequency: 4e9}, 0},
	} {
		w := &energy.Window{To: 1e9, Runs: []energy.Run{tt.run},
			Others: []energy.Other{{Time: time.Second}}}
		if m.Fill(w); w.Used[0] != tt.want || w.Others != nil {
			t.Errorf("%+v: %d, %v; want %d", tt.run, w.Used[0], w.Others, tt.want)
		}
	}
	if z := m.Zones()[0]; z.Source != energy.Formula || m.Model() != "tdp" || len(m.Cut(0)) != 1 {
		t.Errorf("%+v", z)
	}
}

// TestModelled: what a window used is the power model's, at the frequency of its end.
func TestModelled(t *testing.T) {
	f := units.Frequency(4e9)
	m := NewModelled(power.Table2(), []energy.CPU{0, 1}, func() units.Frequency { return f })
	idle := m.Zones()[0].Idle
	if idle < 23.9 || idle > 24.1 {
		t.Errorf("idle power %v", idle)
	}
	m.Cut(0)
	f = 1e9
	m.Cut(1e9)
	for i, want := range []units.Energy{24_000_000_000 + 19_200_000_000, 0} {
		w := &energy.Window{To: 1e9, Runs: []energy.Run{{Alone: time.Second}}}
		m.Fill(w)
		if i == 0 && w.Used[0] != want ||
			i == 1 && (w.Used[0] >= 24_000_000_000 || w.Used[0] < 10_000_000_000) {
			t.Errorf("window %d: %d", i, w.Used[0])
		}
	}
}

func TestBusy(t *testing.T) {
	const before = "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 100 5 20 1000 3 1 2 0 0 0\n" +
		"cpu1 7 0 0 1 0 0 0 0 0 0\ncpux 1 1 1 1 1 1 1 1\nintr 5\ncpu2 1\n"
	const after = "cpu0 110 5 25 1010 3 1 2 50 0 0\n" +
		"cpu1 7 0 0 9 0 0 0 0 0 0\ncpu3 5 0 0 0 0 0 0 0 0 0\n"
	got := others(busy(before), busy(after))
	if len(got) != 1 || got[0].CPU != 0 || got[0].Time != 150*time.Millisecond {
		t.Errorf("%+v", got)
	}
	w := &energy.Window{Others: got,
		Runs: []energy.Run{{CPU: 0, Alone: 100 * time.Millisecond, Frequency: 3e9},
			{CPU: 1, Alone: time.Second}}}
	if without(w); w.Others[0].Time != 50*time.Millisecond || w.Others[0].Frequency != 3e9 {
		t.Errorf("%+v", w.Others)
	}
	w.Runs[0].Alone = time.Second
	if without(w); w.Others[0].Time != 0 {
		t.Errorf("less than nothing: %+v", w.Others)
	}
}
