package attribution

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
	"github.com/ebb-energy/ebb/units"
)

// late is a namer that answers when it is asked for the next time.
type late struct {
	name  func(protocol.Address) protocol.Frame
	list  []protocol.Address
	take  func([]protocol.Address, []protocol.Frame)
	asked map[protocol.Address]int
	mute  bool // it answers nothing
}

func (l *late) AskNames(list []protocol.Address, _ units.Instant,
	take func([]protocol.Address, []protocol.Frame)) bool {
	if l.mute {
		return false
	}
	l.answer()
	l.list, l.take = list, take
	for _, a := range list {
		l.asked[a]++
	}
	return true
}

func (l *late) answer() {
	frames := make([]protocol.Frame, len(l.list))
	for i, a := range l.list {
		frames[i] = l.name(a)
	}
	if l.take != nil {
		l.take(l.list, frames)
	}
}

func (l *late) Marked(protocol.Address) (protocol.Frame, bool) { return protocol.Frame{}, false }

// TestLive: lines come once in an interval, each adds up, names come late and are asked for once,
// and the last line is what the report says. Virtual threads have no more than is booked.
func TestLive(t *testing.T) {
	for _, mute := range []bool{false, true} {
		var lines []*stream.Line
		name := func(a protocol.Address) protocol.Frame {
			return protocol.Frame{Name: fmt.Sprintf("f%d", a.Addr), Module: "p", Kind: "native"}
		}
		n := &late{name: name, asked: map[protocol.Address]int{}, mute: mute}
		rule, err := energy.NewRule("cpu-time", energy.RuleConfig{})
		if err != nil {
			t.Fatal(err)
		}
		q, r := &queue{}, newReader()
		r.name = name
		c := New(Config{Rate: 10, Meter: &steady{}, Rules: []energy.Rule{rule}, Sampler: q,
			Reader: r, Live: &Live{Every: 300 * ms, Namer: n,
				Take: func(l *stream.Line) { lines = append(lines, l) },
				Look: func(t epochs.TID) (int32, string, bool) {
					return 7, fmt.Sprintf("t%d", t), true
				}}})
		s := &script{t, c, q, r}
		c.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
		for i := range 20 {
			from := time.Duration(i) * 100 * ms
			for _, th := range []epochs.TID{7, 8} {
				s.waiting = append(s.waiting, stacks.Sample{At: at(from + 50*ms), Thread: th,
					PID: 7, User: []uint64{uint64(th) + uint64(i%3)}, Mounted: 30})
				cause := epochs.OtherSleep
				if th == 8 && i == 9 {
					cause = epochs.Exited
				}
				if th == 7 || i <= 9 {
					s.sched(epochs.Event{Kind: epochs.Off, Thread: th, From: at(from),
						At: at(from + 100*ms), Cause: cause})
				} else {
					s.waiting = s.waiting[:len(s.waiting)-1]
				}
			}
			s.tick(from + 101*ms)
		}
		p := s.finish(2001 * ms)
		if len(lines) < 6 || len(lines) > 8 {
			t.Errorf("%d lines", len(lines))
		}
		for i, l := range lines {
			var sum int64
			for _, x := range l.Processes {
				sum += x.EnergyNJ
			}
			if sum != l.TargetNJ || l.TotalNJ != l.TargetNJ+l.OthersNJ+l.IdleNJ+l.RestNJ ||
				l.VirtualNJ > l.SampledNJ || l.Ended != (i == len(lines)-1 && l.VirtualNJ > 0) {
				t.Errorf("line %d: %+v", i, l)
			}
		}
		for a, times := range n.asked {
			if times > 1 {
				t.Errorf("%v was asked for %d times", a, times)
			}
		}
		v, err := profile.NewView(p, "method", nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, last := p.Rows(v, 0), lines[len(lines)-1]
		got := map[string]stream.Method{}
		for _, m := range last.Methods {
			got[m.Unit] = m
		}
		if len(rows) != len(got) {
			t.Errorf("%+v, and the report has %+v", got, rows)
		}
		for _, x := range rows {
			m := got[x.Unit]
			// The interval has ended threads together, and so is a little different.
			if m.EnergyNJ != x.Energy || m.Samples != x.Samples || m.CPUNS != x.TimeNS ||
				math.Abs(m.Share-x.Share) > 1e-9 || math.Abs(m.Low-x.Low) > 0.05 ||
				math.Abs(m.High-x.High) > 0.05 {
				t.Errorf("%+v, and the report has %+v", m, x)
			}
		}
	}
}
