package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/bench"
	"github.com/ebb-energy/ebb/units"
)

func TestTimesToCome(t *testing.T) {
	for _, tc := range []struct {
		lo, hi time.Duration
		want   string
	}{
		{0, 0, "about 0s"}, {1400 * time.Millisecond, 1200 * time.Millisecond, "about 1s"},
		{59 * time.Second, 61 * time.Second, "59s to 1m00s"},
		{125 * time.Second, 9*time.Minute + 59*time.Second, "2m10s to 10m00s"},
		{11*time.Minute + 31*time.Second, 89 * time.Minute, "12m to 1h29m"},
		{25 * time.Hour, 25*time.Hour + time.Second, "about 25h00m"},
	} {
		if got := between(tc.lo, tc.hi); got != tc.want {
			t.Errorf("%v to %v is written %q, want %q", tc.lo, tc.hi, got, tc.want)
		}
	}
}

// TestProgressWithoutATerminal: a line per round, how long it takes as soon as that is known, and
// no control characters.
func TestProgressWithoutATerminal(t *testing.T) {
	p := &bench.Plan{Source: bench.Modelled,
		Settings: bench.Settings([]units.Frequency{1e9, 2e9}, "schedutil", []units.Slowdown{0.05},
			false)}
	var out bytes.Buffer
	b := newBenchProgress(&out, false, p, 2, 1, nil)
	warm := bench.Sample{Measurement: bench.Measurement{Wall: 200 * time.Millisecond}}
	b.Began(p.Highest(), 0)
	b.Finished(&warm, time.Second)
	for round := 1; round <= 2; round++ {
		for i, s := range p.Settings {
			b.Began(s, round)
			b.Finished(&bench.Sample{Round: round, Setting: i}, 10*time.Second)
		}
	}
	b.end()
	want := `ebb: each of 4 settings 2 times: 2 frequencies from 1GHz to 2GHz, as found (schedutil), ebb 5%; energy modelled
ebb: a run takes 200ms only: below 1s, starting and ending is much of what is measured
ebb: this takes 8s to 12s
ebb: round 1 of 2 done, 4 of 8 runs, about 40s left
ebb: round 2 of 2 done, 8 of 8 runs
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	quiet := newBenchProgress(&out, true, p, 2, 1, nil)
	quiet.Finished(&warm, time.Second)
	quiet.end()
	if out.Len() > 0 {
		t.Errorf("quiet, and yet: %q", out.String())
	}
}
