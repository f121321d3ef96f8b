package attribution

import (
	"bytes"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// TestUnsampled: without a sampler and a reader the ledger divides the energy over threads by their
// times, to the nJ: a meter of one watt, three threads with 300, 600 and 100 ms.
func TestUnsampled(t *testing.T) {
	s := newScript(t, 0)
	s.Attributor = New(Config{Meter: &steady{last: at(0)}, Rules: s.cfg.Rules, Stat: s.cfg.Stat,
		Sampler: Unsampled{}, Reader: Unsampled{}})
	s.Observe(&governor.Event{Kind: governor.Begin, At: at(0), Frequency: 2e9}, nil)
	s.runs(11, 0, 300*time.Millisecond, epochs.Preempted, false)
	s.tick(300 * time.Millisecond)
	s.runs(12, 300*time.Millisecond, 900*time.Millisecond, epochs.Exited, false)
	s.tick(900 * time.Millisecond)
	s.runs(13, 900*time.Millisecond, time.Second, epochs.Exited, false)
	s.tick(time.Second)
	p := s.finish(time.Second, Named{TID: 11, PID: 11, Comm: "a"}, Named{TID: 12, PID: 11,
		Comm: "b", Ended: at(900 * time.Millisecond)}, Named{TID: 13, PID: 11, Comm: "c",
		Ended: at(time.Second)})
	got := byName(p)
	for name, want := range map[string]int64{"a": 300e6, "b": 600e6, "c": 100e6} {
		if got[name] != want {
			t.Errorf("%s has %d nJ, want %d", name, got[name], want)
		}
	}
	if p.View() != "thread" {
		t.Errorf("shown by %s, want threads", p.View())
	}
	for _, by := range profile.Views {
		v, err := profile.NewView(p, by, nil)
		if err == nil {
			err = p.Shows(by)
		}
		switch by {
		case "thread", "process", "pid", "phase", "frequency":
			if err != nil {
				t.Errorf("by %s: %v", by, err)
				continue
			}
			var b bytes.Buffer
			if err := p.WriteText(&b, p.Rows(v, 0), 0, 0, printable.All); err != nil ||
				!bytes.Contains(b.Bytes(), []byte("samples      none: threads' times")) {
				t.Errorf("by %s: %v\n%s", by, err, &b)
			}
		default:
			if err == nil {
				t.Errorf("by %s: methods of a run that sampled none", by)
			}
		}
	}
}
