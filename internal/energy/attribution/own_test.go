package attribution

import (
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
)

// TestOwnThreads: ebb's own CPU time beside the program is a part of the others' energy and a line
// of the table, and the zone adds up. CPU time before the program began is not in it.
func TestOwnThreads(t *testing.T) {
	rule, err := energy.NewRule("ledger", energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	stat := t.TempDir() + "/stat"
	if err := os.WriteFile(stat, []byte("cpu0 0 0 0 0 0 0 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	used := time.Second
	c := New(Config{Meter: &steady{}, Rules: []energy.Rule{rule}, Sampler: Unsampled{}, Stat: stat,
		Reader: Unsampled{}, Own: func() time.Duration { return used }})
	s := &script{t: t, Attributor: c}
	c.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	s.runs(1, 0+1, 30*ms, epochs.OtherSleep, false)
	used += 10 * ms
	s.tick(100 * ms)
	s.runs(1, 100*ms, 190*ms, epochs.Exited, false)
	p := s.finish(200*ms, Named{TID: 1, PID: 1, Comm: "x"})
	z := p.Zones[0]
	// 30 ms of the program and 10 ms of ebb share the 100 mJ of the first window.
	if z.OwnNJ[0] < 25e6-1e3 || z.OwnNJ[0] > 25e6+1e3 || z.OthersNJ[0] != z.OwnNJ[0] ||
		p.OwnRunNS != int64(10*ms) {
		t.Errorf("%+v, %d ns", z, p.OwnRunNS)
	}
	if e, known := p.Own(0); !known || e != z.OwnNJ[0] {
		t.Errorf("the table has %d, known %t", e, known)
	}
	p.Zones[0].Source = string(energy.Modelled)
	if _, known := p.Own(0); known {
		t.Error("a model of the program alone knows what ebb used")
	}
}
