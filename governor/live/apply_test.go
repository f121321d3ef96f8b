package live

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// recorded is an actuator that follows, and keeps what it was asked for.
type recorded struct {
	cpufreq.Actuator
	asked []units.Frequency
}

func (*recorded) Name() string { return cpufreq.SetSpeed }

func (r *recorded) Set(f units.Frequency) []cpufreq.Outcome {
	r.asked = append(r.asked, f)
	return []cpufreq.Outcome{{Kind: cpufreq.Written, Asked: f, Found: f}}
}

// TestInsistingReportsOneOutcome: to insist is to ask for a neighbour and then for the frequency;
// only the latter's outcome is reported.
func TestInsistingReportsOneOutcome(t *testing.T) {
	r := &recorded{}
	m := NewHost(nil, r, 4e9)
	for _, a := range []governor.Action{{Kind: governor.SetFrequency, Frequency: 3e9},
		{Kind: governor.Insist, Frequency: 3e9, By: 4e9},
		{Kind: governor.Limited, Frequency: 2e9, Reported: 3e9}} {
		if err := m.Apply(a); err != nil {
			t.Fatal(err)
		}
	}
	if want := []units.Frequency{3e9, 4e9, 3e9}; !slices.Equal(r.asked, want) {
		t.Errorf("asked for %v, want %v", r.asked, want)
	}
	if len(m.pending) != 2 || m.pending[1].Kind != governor.Applied ||
		m.pending[1].Frequency != 3e9 || m.pending[1].Refusal != "" {
		t.Errorf("reported %+v", m.pending)
	}
}
