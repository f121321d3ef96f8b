package report

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// For how long a machine did not do what it said is told once, with the clocks of the first time.
func TestUnheeded(t *testing.T) {
	quantum := func(at time.Duration) governor.Action {
		return governor.Action{Kind: governor.Decided, Quantum: governor.Quantum{Start: units.Instant(at), Dur: 10 * time.Millisecond, Max: 1e7, AtEffective: 1e7}}
	}
	unheeded := governor.Action{Kind: governor.Unheeded, Frequency: 2e9, Told: 3e9}
	for name, c := range map[string]struct {
		actions []governor.Action
		want    []string
	}{
		"never": {[]governor.Action{quantum(0)}, nil},
		"twice, the second time to the end": {
			[]governor.Action{quantum(0), unheeded, quantum(10e6), quantum(20e6), {Kind: governor.Heeded, Frequency: 3e9, Told: 3e9},
				quantum(30e6), {Kind: governor.Unheeded, Frequency: 1e9, Told: 4e9}, quantum(40e6)},
			[]string{"for 30ms the clock was not the one the machine said: by the counter of cycles 2GHz where it said 3GHz. Requests have no effect, or something limits the clock"},
		},
	} {
		r := &Report{}
		collector := NewCollector(r, []units.Frequency{1e9, 4e9}, power.Table2())
		collector.Observe(&governor.Event{Kind: governor.Begin}, nil)
		for i := range c.actions {
			collector.Observe(&governor.Event{}, c.actions[i:i+1])
		}
		collector.Finish()
		if !slices.Equal(r.Warnings, c.want) {
			t.Errorf("%s: %q", name, r.Warnings)
		}
	}
}
