package report

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// How often and for how long a clock was not the one that was told is said once for each way, with
// the clocks of the first time.
func TestDoubts(t *testing.T) {
	quantum := func(at time.Duration) governor.Action {
		return governor.Action{Kind: governor.Decided,
			Quantum: governor.Quantum{
				Measured:  governor.Measured{Start: units.Instant(at), Dur: 10 * time.Millisecond},
				Predicted: governor.Predicted{AtEffective: 1e7},
				Choice:    governor.Choice{Max: 1e7}}}
	}
	unheeded := governor.Action{Kind: governor.Unheeded, Frequency: 2e9, Reported: 3e9}
	limited := governor.Action{Kind: governor.Limited, Frequency: 3e9, Reported: 4e9}
	heeded := governor.Action{Kind: governor.Heeded, Frequency: 3e9, Reported: 3e9}
	insist := governor.Action{Kind: governor.Insist, Frequency: 3e9, By: 4e9}
	for name, c := range map[string]struct {
		actions []governor.Action
		want    []string
	}{
		"never": {[]governor.Action{quantum(0)}, nil},
		"asked again, twice": {
			[]governor.Action{quantum(0), insist, quantum(10e6), heeded, quantum(20e6), insist,
				quantum(30e6), insist, quantum(40e6), heeded},
			[]string{"requests were confirmed and had no effect, 2 times, by the counter of cycles; asked again, the clock followed, and the time lost was paid back as far as there was time"},
		},
		"deaf twice, the second time to the end": {
			[]governor.Action{quantum(0), unheeded, insist, quantum(10e6), insist, quantum(20e6),
				heeded,
				quantum(30e6), {Kind: governor.Unheeded, Frequency: 1e9, Reported: 4e9}, insist,
				quantum(40e6)},
			[]string{"for 30ms requests had no effect, though they were confirmed and made again 3 times: by the counter of cycles 2GHz where the machine said 3GHz"},
		},
		"limited, then deaf": {
			[]governor.Action{quantum(0), limited, quantum(10e6), quantum(20e6), unheeded,
				quantum(30e6), heeded, quantum(40e6)},
			[]string{
				"for 10ms requests had no effect, though they were confirmed and made again 0 times: by the counter of cycles 2GHz where the machine said 3GHz",
				"for 20ms something limited the clock of which the machine said nothing: by the counter of cycles 3GHz where it said 4GHz. The budget was reckoned from what the limit left",
			},
		},
	} {
		r := &Report{}
		collector := NewObserver(r, []units.Frequency{1e9, 4e9}, power.Table2())
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
