package bench

import (
	"bytes"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestProgressWithoutATerminal: a line per round, how long it takes as soon as that is known, and
// no control characters.
func TestProgressWithoutATerminal(t *testing.T) {
	p := &Plan{Source: Modelled,
		Settings: Settings([]units.Frequency{1e9, 2e9}, "schedutil", []units.Slowdown{0.05},
			false)}
	var out bytes.Buffer
	b := NewProgress(&out, p, 2, 1, nil)
	warm := Sample{Measurement: Measurement{Wall: 200 * time.Millisecond}}
	b.Began(p.highest(), 0)
	b.Finished(&warm, time.Second)
	for round := 1; round <= 2; round++ {
		for i, s := range p.Settings {
			b.Began(s, round)
			b.Finished(&Sample{Round: round, Setting: i}, 10*time.Second)
		}
	}
	b.End()
	want := `ebb: each of 4 settings 2 times: 2 frequencies from 1GHz to 2GHz, as found (schedutil), ebb 5%; energy: modelled
ebb: a run takes only 200 ms: below 1 s, start and end are a large part of what is measured
ebb: this takes 8s to 12s
ebb: round 1 of 2 done, 4 of 8 runs, about 40s left
ebb: round 2 of 2 done, 8 of 8 runs
`
	if out.String() != want {
		t.Errorf("%s\nwant\n%s", out.String(), want)
	}
}
