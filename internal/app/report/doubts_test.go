package report

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// For each way in which a clock can differ from the reported one, one warning says how often and
// for how long it did, with the clocks of the first time.
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
			[]string{"requests that the kernel confirmed had no effect, 2 times, " +
				"by the cycle counter; the clock followed when ebb repeated them, " +
				"and later decisions paid back the lost time as far as they could"},
		},
		"deaf twice, the second time to the end": {
			[]governor.Action{quantum(0), unheeded, insist, quantum(10e6), insist, quantum(20e6),
				heeded,
				quantum(30e6), {Kind: governor.Unheeded, Frequency: 1e9, Reported: 4e9}, insist,
				quantum(40e6)},
			[]string{"for 30 ms requests had no effect, although the kernel confirmed them " +
				"and ebb repeated them 3 times: the clock was 2 GHz by the cycle counter, " +
				"3 GHz as reported"},
		},
		"limited, then deaf": {
			[]governor.Action{quantum(0), limited, quantum(10e6), quantum(20e6), unheeded,
				quantum(30e6), heeded, quantum(40e6)},
			[]string{
				"for 10 ms requests had no effect, although the kernel confirmed them and " +
					"ebb repeated them 0 times: the clock was 2 GHz by the cycle counter, " +
					"3 GHz as reported",
				"for 20 ms something limited the clock, and the machine did not report it: " +
					"the clock was 3 GHz by the cycle counter, 4 GHz as reported. " +
					"The budget counts from the limited clock",
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
