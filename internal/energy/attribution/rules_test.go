package attribution

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// TestJalen2012: a thread runs for a second of a second, beside a meter of one watt, in a method
// with two call stacks and in another, 3 : 1 by samples. As printed each has the thread's joule,
// and the profile adds up: a joule was given twice.
func TestJalen2012(t *testing.T) {
	rule, err := energy.NewRule(energy.Jalen2012, energy.RuleConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := newScript(t, 0)
	s.reader.name = func(a protocol.Address) protocol.Frame {
		return protocol.Frame{Name: fmt.Sprintf("f%x", a.Addr/16), Kind: "native"}
	}
	c := s.cfg
	c.Meter, c.Rules = &steady{last: at(0)}, []energy.Rule{rule}
	s.Attributor = New(c)
	s.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	for i, user := range [][]uint64{{0x10, 0x30}, {0x10, 0x40}, {0x10, 0x30}, {0x20, 0x30}} {
		s.waiting = append(s.waiting, stacks.Sample{At: at(time.Duration(i) * 200 * ms), Thread: 7,
			PID: 7, User: user})
	}
	s.runs(7, 0, time.Second, epochs.Exited, false)
	p := s.finish(time.Second, Named{TID: 7, PID: 7, Comm: "a", Ended: at(time.Second)})
	got := map[string]int64{}
	for i := range p.Stacks {
		got[p.Frames[p.Stacks[i].Frames[0]].Name] += p.Stacks[i].EnergyNJ[0]
	}
	if len(got) != 2 {
		t.Errorf("methods %v, want two", got)
	}
	for name, e := range got {
		if e != 1e9 {
			t.Errorf("%s has %d nJ, want 1 J", name, e)
		}
	}
	if z := &p.Zones[0]; z.Attr[0] != 2e9 || z.RestNJ[0] != -1e9 {
		t.Errorf("%d nJ attributed, %d unattributed, want 2 J and -1 J", z.Attr[0], z.RestNJ[0])
	}
}
