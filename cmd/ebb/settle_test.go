package main

import (
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/ebb-energy/ebb/config"
)

// Quantum and hold-off follow what was measured, unless one of them was given.
func TestFitToTheSettleTime(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		flags   []string
		settle  time.Duration
		quantum time.Duration
		holdOff int
		changed bool
	}{
		{nil, 30 * time.Microsecond, 5 * ms, 1, false},
		{nil, ms, 5 * ms, 1, false},
		{nil, 1395 * time.Microsecond, 7 * ms, 1, true}, // EPYC Rome's
		{nil, 5 * ms, 25 * ms, 1, true},
		{nil, 16 * ms, 30 * ms, 3, true},
		{[]string{"--quantum", "10ms"}, 16 * ms, 10 * ms, 1, false},
		{[]string{"--hold-off", "4"}, 16 * ms, 5 * ms, 4, false},
	} {
		s := settings{config: config.Default()}
		cmd := &cobra.Command{}
		s.governFlags(cmd)
		if err := cmd.Flags().Parse(c.flags); err != nil {
			t.Fatal(err)
		}
		if err := s.load(cmd); err != nil {
			t.Fatal(err)
		}
		changed := s.fit(c.settle)
		if got := &s.config; got.Quantum != c.quantum || got.HoldOff != c.holdOff ||
			changed != c.changed || got.Settle != c.settle {
			t.Errorf("%q, %v: quantum %v, hold-off %d, changed %v; want %v, %d, %v", c.flags,
				c.settle, got.Quantum, got.HoldOff, changed, c.quantum, c.holdOff, c.changed)
		}
	}
}
