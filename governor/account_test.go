package governor

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// TestAccountOfWaits: time in which a thread waited for a CPU grows with the work, so that it is no
// idle time in the account either: cores are busy for the same part of the work at every clock.
func TestAccountOfWaits(t *testing.T) {
	const (
		ms = time.Millisecond
		f  = units.Frequency(4e9)
	)
	g := &Governor{}
	g.meter.fit = power.NewFit(power.Table2())
	for _, c := range []struct{ dur, busy, waited, ran, ns, want time.Duration }{
		{10 * ms, 10 * ms, 0, 10 * ms, 8 * ms, 8 * ms},
		{10 * ms, 6 * ms, 0, 12 * ms, 7 * ms, 6 * ms}, // 4 ms idle
		{10 * ms, 5 * ms, 5 * ms, 5 * ms, 8 * ms, 4 * ms},
		{10 * ms, 4 * ms, 4 * ms, 8 * ms, 6 * ms, 4 * ms}, // 2 ms idle
		{10 * ms, 0, 10 * ms, 0, 9 * ms, 0},
	} {
		m := Measured{Dur: c.dur, Busy: c.busy, Waited: c.waited, ThreadRun: c.ran}
		got := g.features(&m, f, float64(c.ns))
		want := g.meter.fit.Features(power.Activity{F: f, Dur: c.ns, CoreBusy: c.want})
		if got != want {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
	}
}
