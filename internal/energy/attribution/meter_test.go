package attribution

import (
	"slices"
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

// TestModelled: one busy thread for 100 ms on four CPUs. It gets what the model says of its work,
// at whatever clock, and also where the clock was another one at the run's begin. The rest is idle,
// by the model at the window's own clocks.
func TestModelled(t *testing.T) {
	table := power.Table2()
	static := func(d time.Duration, f units.Frequency) units.Energy {
		return table.Energy(power.Work{Dur: d, F: f, Base: f}).CPUStatic
	}
	dynamic := func(d time.Duration, f units.Frequency) units.Energy {
		return table.Energy(power.Work{CoreBusy: d, F: f, Base: f}).CPUDynamic
	}
	var line clocks
	m := NewModelled(table, []energy.CPU{0, 1, 2, 3}, line.between)
	rule, err := energy.NewRule("ledger", energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	l := energy.New(m.Zones(), rule, 0)
	line.set(0, 4e9)
	line.set(at(100*ms), 2e9)
	line.set(at(200*ms), 1e9)
	line.set(at(330*ms), 3e9)
	for i, want := range []struct{ idle, dynamic units.Energy }{
		{static(100*ms, 4e9), dynamic(100*ms, 4e9)},
		{static(100*ms, 2e9), dynamic(100*ms, 2e9)},
		{static(100*ms, 1e9), dynamic(100*ms, 1e9)},
		{static(30*ms, 1e9).Plus(static(70*ms, 3e9)),
			dynamic(30*ms, 1e9).Plus(dynamic(70*ms, 3e9))},
	} {
		from := at(time.Duration(i) * 100 * ms)
		w := &energy.Window{From: from, To: from.Add(100 * ms)}
		for to, f := range line.between(w.From, w.To) {
			w.Runs = append(w.Runs, energy.Run{Thread: 7, Frequency: f, Alone: to.Sub(from)})
			from = to
		}
		before := l.Totals()[0]
		m.Fill(w)
		if err := l.Book(w); err != nil {
			t.Fatal(err)
		}
		after := l.Totals()[0]
		if got := after.Idle - before.Idle; got != want.idle {
			t.Errorf("window %d: %d nJ are idle, not %d", i, got, want.idle)
		}
		if got := l.Charged()[7][0]; got != want.dynamic {
			t.Errorf("window %d: the thread gets %d nJ, not %d", i, got, want.dynamic)
		}
	}
}

// TestClocks: the clock at a time and the parts of a time, with changes at its ends and outside,
// and after what is not needed any more has gone.
func TestClocks(t *testing.T) {
	var c clocks
	if c.at(5) != 0 || c.now() != 0 {
		t.Error("there is a clock before the first")
	}
	c.set(10, 4e9)
	c.set(20, 2e9)
	c.set(20, 1e9)
	c.set(30, 1e9) // no change
	c.set(40, 3e9)
	c.set(35, 5e9) // too late: it counts as one at 40
	parts := func(from, to units.Instant) (out []change) {
		for end, f := range c.between(from, to) {
			out = append(out, change{end, f})
		}
		return out
	}
	for _, x := range []struct {
		from, to units.Instant
		want     []change
	}{
		{0, 5, []change{{5, 4e9}}},
		{0, 10, []change{{10, 4e9}}},
		{12, 13, []change{{13, 4e9}}},
		{10, 20, []change{{20, 4e9}}},
		{15, 45, []change{{20, 4e9}, {40, 1e9}, {45, 5e9}}},
		{20, 40, []change{{40, 1e9}}},
		{40, 41, []change{{41, 5e9}}},
		{50, 60, []change{{60, 5e9}}},
	} {
		if got := parts(x.from, x.to); !slices.Equal(got, x.want) {
			t.Errorf("%d to %d: %v, not %v", x.from, x.to, got, x.want)
		}
	}
	c.forget(25)
	if got := parts(26, 27); len(got) != 1 || got[0].to != 1e9 || len(c.changes) > 2 {
		t.Errorf("after 25: %v of %v", got, c.changes)
	}
	c.forget(100)
	if len(c.changes) != 1 || c.now() != 5e9 || c.at(0) != 5e9 {
		t.Errorf("after 100: %v", c.changes)
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
