package live

import (
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// TestMemoryIsReadAtTicks: memory's counters are read at ticks, not more often than asked for, and
// at the end; a reading that fails is none.
func TestMemoryIsReadAtTicks(t *testing.T) {
	const ms = units.Instant(time.Millisecond)
	m := Host{begun: true}
	asked, fails := uint64(0), false
	m.Memory(10*time.Millisecond, func() (uint64, uint64, bool) {
		asked++
		return asked, 2 * asked, !fails
	})
	var buf [8]governor.Event
	var got []units.Instant
	tick := func(at units.Instant) {
		sched := []epochs.Event{{Kind: epochs.Slice, At: at - 1}, {Kind: epochs.Tick, At: at}}
		n := m.convert(buf[:], sched)
		if last := buf[n-1]; last.Kind != governor.Sched || last.Sched.Kind != epochs.Tick {
			t.Errorf("at %d: the last event is %+v, want the tick", at, last)
		}
		for _, ev := range buf[:n] {
			if ev.Kind == governor.Traffic {
				got = append(got, ev.At)
				if ev.Reads != asked || ev.Writes != 2*asked {
					t.Errorf("at %d: %+v", at, ev)
				}
			}
		}
	}
	for i := units.Instant(20); i < 45; i += 5 {
		fails = i == 30
		tick(i * ms)
	}
	if len(got) != 2 || got[0] != 20*ms || got[1] != 40*ms || asked != 3 {
		t.Errorf("readings at %d, asked %d times", got, asked)
	}
	m.target.end(43 * ms)
	n := m.end(buf[:])
	if n != 2 || buf[0].Kind != governor.Traffic || buf[0].At != 43*ms || buf[0].Reads != 4 ||
		buf[1].Kind != governor.End {
		t.Errorf("the end is %+v", buf[:n])
	}
}

// TestMemoryIsReadBeforeTheTarget: the traffic from the target's start counts, however late the
// first tick comes. Where nothing could be read then, it counts from the first tick.
func TestMemoryIsReadBeforeTheTarget(t *testing.T) {
	for _, known := range []bool{true, false} {
		m := Host{Computer: Computer{base: 1e9, tracer: &bpf.Tracer{}}}
		m.Memory(time.Millisecond, func() (uint64, uint64, bool) { return 7, 8, known })
		m.memory.start()
		var buf [8]governor.Event
		n := m.convert(buf[:], []epochs.Event{{Kind: epochs.Exec, At: 50}})
		want := []governor.Event{{Kind: governor.Begin, At: 50, Frequency: 1e9}}
		if known {
			want = append(want, governor.Event{Kind: governor.Traffic, At: 50, Reads: 7, Writes: 8})
		}
		if !slices.Equal(buf[:n-1], want) || buf[n-1].Sched.Kind != epochs.On {
			t.Errorf("it begins with %+v", buf[:n])
		}
	}
}
