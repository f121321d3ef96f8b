package hardware_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// TestSleep: an idle package draws its static power until it sleeps, then a share; each return from
// sleep costs energy, of the package's and of the core's. A visit is a return as well.
func TestSleep(t *testing.T) {
	machine := machine("paper")
	p := &machine.Power
	p.Core.SleepAfter, p.Core.Asleep, p.Core.Wake = time.Millisecond, 0.5, 1000
	p.Uncore.SleepAfter, p.Uncore.Asleep, p.Uncore.Wake = 2*time.Millisecond, 0.25, 5000
	m := hardware.NewMeter(p, 1, nil)
	idle := func(d time.Duration) {
		m.Account(&hardware.Interval{Ns: float64(d), Frequency: 1e9,
			Cores: make([]hardware.Activity, 1)})
	}
	static := float64(p.Uncore.Static)
	idle(10 * time.Millisecond)
	want := static * (2 + 8*0.25) * 1e6 // nJ
	if got := float64(m.Sum().UncoreStatic); got < want-1 || got > want+1 {
		t.Errorf("the package drew %v nJ of static energy, not %v", got, want)
	}
	before := m.Sum()
	m.Visit(0, 0)
	if d := m.Sum().Minus(before); d.CoreDynamic != 1000 || d.UncoreDynamic != 5000 {
		t.Errorf("a return from sleep costs %+v", d)
	}
	before = m.Sum()
	m.Visit(0, 0)
	if d := m.Sum().Minus(before); d.Package() != 0 {
		t.Errorf("a second return at the same time costs %+v", d)
	}
	idle(2 * time.Millisecond)
	want = static * 2e6
	if got := float64(m.Sum().Minus(before).UncoreStatic); got < want-1 || got > want+1 {
		t.Errorf("after it, the package drew %v nJ, not %v", got, want)
	}
}
