package run

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/stacks"
)

// TestSampledRest: what is sampled in a rest has room, and a rest is a quantum at least.
func TestSampledRest(t *testing.T) {
	for _, c := range []struct {
		rate, cpus, want int
		quantum          time.Duration
	}{
		{stacks.DefaultRate, 2, 12, 5 * time.Millisecond},
		{stacks.DefaultRate, 8, 8, 5 * time.Millisecond},
		{stacks.DefaultRate, 16, 4, 5 * time.Millisecond},
		{stacks.DefaultRate, 128, 1, 5 * time.Millisecond},
		{stacks.DefaultRate, 2, 1, 50 * time.Millisecond},
		{stacks.MaxRate, 2, 1, 5 * time.Millisecond},
		{stacks.MinRate, 1, 12, 5 * time.Millisecond},
		{0, 0, 12, 5 * time.Millisecond}, // refused elsewhere
	} {
		got := sampledRest(c.rate, c.cpus, c.quantum)
		if got != c.want {
			t.Errorf("%d Hz of %d CPUs: %d quanta of %v, not %d", c.rate, c.cpus, got, c.quantum,
				c.want)
		}
		unread := float64(c.rate*c.cpus*got) * c.quantum.Seconds()
		if got > 1 && unread > mostUnread {
			t.Errorf("%d Hz of %d CPUs: %.1f samples in a rest", c.rate, c.cpus, unread)
		}
	}
}

// TestRestsBeside: what may not be unread for long has no rests, and only who names processes has
// to meet them.
func TestRestsBeside(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*Settings)
		rests, meets bool
	}{
		"plain":   {func(*Settings) {}, true, false},
		"methods": {func(s *Settings) { s.Methods.Wanted = true }, true, true},
		"threads": {func(s *Settings) { s.Methods.Threads = true }, true, false},
		"fast samples": {func(s *Settings) {
			s.Methods.Wanted, s.Methods.Rate = true, 9999
		}, false, false},
		"window": {func(s *Settings) {
			s.Methods.Threads, s.Methods.Window = true, 20*time.Millisecond
		}, false, false},
		"network": {func(s *Settings) { s.Network = true }, false, false},
		"stream":  {func(s *Settings) { s.Stream.Every = time.Second }, false, false},
		"regions": {func(s *Settings) {
			s.Methods.Threads, s.Methods.Regions = true, true
		}, false, false},
		"count": {func(s *Settings) { s.Count.Functions = []string{"f"} }, false, false},
		"hold-off": {func(s *Settings) {
			s.Methods.Wanted, s.HoldOff = true, 2
		}, false, false},
	} {
		s := &Settings{Settings: part.Settings{Config: config.Default(),
			Methods: part.Methods{Rate: stacks.DefaultRate}}}
		c.change(s)
		if err := s.Complete([]string{"true"}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.rests() != c.rests || s.births() > 0 != c.meets {
			t.Errorf("%s: rests of %d quanta, births met for %v", name, s.Rest, s.births())
		}
	}
}
