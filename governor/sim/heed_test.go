package sim_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/sim"
	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/units"
)

// deaf is a machine that for a while runs at 2 GHz, takes requests, says that it follows them, and does not.
type deaf struct {
	*sim.Machine
	from, to time.Duration // since the start
	now      units.Instant
	begun    units.Instant
	told     units.Frequency
	lies     []governor.Event
	fell     bool
}

func (m *deaf) isDeaf() bool {
	at := time.Duration(m.now - m.begun)
	return at >= m.from && at < m.to
}

func (m *deaf) Next(ctx context.Context, buf []governor.Event) (int, error) {
	if n := copy(buf, m.lies); n > 0 {
		m.lies = m.lies[:0]
		return n, nil
	}
	n, err := m.Machine.Next(ctx, buf)
	for i := range buf[:n] {
		switch ev := &buf[i]; ev.Kind {
		case governor.Begin:
			m.begun, m.now = ev.At, ev.At
		case governor.Sched:
			m.now = max(m.now, ev.Sched.At)
		case governor.Applied:
			if m.isDeaf() {
				ev.Frequency = m.told
			}
		}
	}
	if m.isDeaf() && !m.fell {
		m.fell = true
		err = errors.Join(err, m.Machine.Apply(governor.Action{Kind: governor.SetFrequency, Frequency: stuck}))
	}
	return n, err
}

func (m *deaf) Apply(a governor.Action) error {
	if a.Kind != governor.SetFrequency || a.Frequency == m.told {
		return nil // a kernel does nothing for what it believes is so
	}
	m.told = a.Frequency
	if !m.isDeaf() {
		return m.Machine.Apply(a)
	}
	m.lies = append(m.lies, governor.Event{Kind: governor.Applied, At: m.now, Frequency: a.Frequency})
	return nil
}

const stuck = units.Frequency(2_000_000_000)

// heard is what the governor says of its machine.
type heard struct {
	actions []governor.Action
	at      []time.Duration
	quanta  []governor.Quantum
	start   units.Instant
}

func (h *heard) Observe(ev *governor.Event, actions []governor.Action) {
	if ev.Kind == governor.Begin {
		h.start = ev.At
	}
	for i := range actions {
		switch a := &actions[i]; a.Kind {
		case governor.Decided:
			h.quanta = append(h.quanta, a.Quantum)
		case governor.Unheeded, governor.Heeded:
			end := h.start
			if n := len(h.quanta); n > 0 {
				end = h.quanta[n-1].Start + units.Instant(h.quanta[n-1].Dur)
			}
			h.actions, h.at = append(h.actions, *a), append(h.at, time.Duration(end-h.start))
		}
	}
}

// TestDeafMachine: a machine that does not do what it says is found out by the counter of cycles, and so is that it follows
// again.
func TestDeafMachine(t *testing.T) {
	const from, to, most = 200 * time.Millisecond, 400 * time.Millisecond, 100 * time.Millisecond
	p := profile(t, "paper")
	o := simtest.Options{Seed: 5, Counters: []string{"cycles", "instructions", "stall_lo_cycles", "occ_hi_cycles"}}
	govern := func(from, to time.Duration) (*heard, *simtest.Truth) {
		m, err := simtest.New(p, saturating(), o)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Configure(governor.Default(), &p, &o)
		cfg.Budget = 0.1
		g, err := governor.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		h := &heard{}
		if err := governor.Run(t.Context(), g, &deaf{Machine: sim.NewMachine(m), from: from, to: to}, h); err != nil {
			t.Fatal(err)
		}
		return h, m.Truth()
	}
	if h, _ := govern(time.Hour, time.Hour); len(h.actions) != 0 {
		t.Errorf("of a machine that follows: %+v", h.actions[0])
	}
	h, truth := govern(from, to)
	t.Logf("%v, says %+v at %v", truth.Wall, h.actions, h.at)
	if len(h.actions) < 2 || h.actions[0].Kind != governor.Unheeded || h.actions[len(h.actions)-1].Kind != governor.Heeded {
		t.Fatalf("says %+v", h.actions)
	}
	if at := h.at[0]; at < from || at > from+most {
		t.Errorf("found out at %v, deaf from %v", at, from)
	}
	if at := h.at[len(h.at)-1]; at < to || at > to+most {
		t.Errorf("found out that it follows at %v, deaf to %v", at, to)
	}
	if a := h.actions[0]; math.Abs(math.Log(float64(a.Frequency)/float64(stuck))) > 0.02 {
		t.Errorf("%v is counted where %v is told, the clock is %v", a.Frequency, a.Told, stuck)
	}
}

// Room for one event is too little, and refused: it would be waited for for ever.
func TestRoomForOne(t *testing.T) {
	p := profile(t, "paper")
	m, err := simtest.New(p, saturating(), simtest.Options{Seed: 1, Counters: simulatorCounters})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if n, err := sim.NewMachine(m).Next(t.Context(), make([]governor.Event, 1)); err == nil || n != 0 {
		t.Errorf("%d events, %v", n, err)
	}
}
