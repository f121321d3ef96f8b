package run

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// Quantum and hold-off follow what was measured, unless one of them was given.
func TestFitToTheSettleTime(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		givenQuantum time.Duration
		givenHoldOff int
		settle       time.Duration
		quantum      time.Duration
		holdOff      int
		changed      bool
	}{
		{0, 0, 30 * time.Microsecond, 5 * ms, 1, false},
		{0, 0, ms, 5 * ms, 1, false},
		{0, 0, 1395 * time.Microsecond, 7 * ms, 1, true}, // EPYC Rome's
		{0, 0, 5 * ms, 25 * ms, 1, true},
		{0, 0, 16 * ms, 30 * ms, 3, true},
		{10 * ms, 0, 16 * ms, 10 * ms, 1, false},
		{0, 4, 16 * ms, 5 * ms, 4, false},
	} {
		s := Settings{Settings: part.Settings{Config: config.Default()}}
		if c.givenQuantum > 0 {
			s.Quantum = c.givenQuantum
		}
		if c.givenHoldOff > 0 {
			s.HoldOff = c.givenHoldOff
		}
		if err := s.Complete([]string{"true"}); err != nil {
			t.Fatal(err)
		}
		changed := s.fit(c.settle)
		if got := &s.Config; got.Quantum != c.quantum || got.HoldOff != c.holdOff ||
			changed != c.changed || got.Settle != c.settle {
			t.Errorf("%v and %d given, %v: quantum %v, hold-off %d, changed %v; want %v, %d, %v",
				c.givenQuantum, c.givenHoldOff, c.settle, got.Quantum, got.HoldOff, changed,
				c.quantum, c.holdOff, c.changed)
		}
	}
}
