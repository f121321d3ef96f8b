package vm

import (
	"fmt"
	"math"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// irregular is alternating with visits of random length, between the shortest and so many times
// that, as likely at any order of magnitude.
func irregular(shortest time.Duration, longest int, total time.Duration) load {
	mean := float64(longest-1) / math.Log(float64(longest)) // of the shortest
	l := alternating(shortest, time.Duration(float64(total)/mean))
	l.longest = longest
	return l
}

// TestAllVisits is the table of docs/sensitivity.md: visits of five lengths, and of random ones, by
// counters, by the table that they recorded and by wrong ones. It takes minutes: make test-vm
// RUN=TestAllVisits, or RUN=TestAllVisits/20ms.
func TestAllVisits(t *testing.T) {
	for _, c := range []struct {
		name    string
		visit   time.Duration // the shortest
		longest int           // as in irregular
	}{{"5ms", 5e6, 0}, {"20ms", 20e6, 0}, {"50ms", 50e6, 0}, {"150ms", 150e6, 0},
		{"200ms", 200e6, 0}, {"5to200ms", 5e6, 40}} {
		t.Run(c.name, func(t *testing.T) {
			shaped := func(total time.Duration) load {
				if c.longest > 0 {
					return irregular(c.visit, c.longest, total)
				}
				return alternating(c.visit, total)
			}
			settle(t)
			keep(t, states(t)[0])
			file, table := recorded(t, shaped(2*time.Second), "first", "second")
			l := alone(t, shaped(6*time.Second))
			counterSlow, counted, _ := governedBy(t, l, 1, "counters")
			fault(t, "event_error", strconv.Itoa(int(unix.EBUSY)))
			slow, by, dropped := governedBy(t, l, repeats, "the table", "--sensitivity", file)
			if by < 0.8*counted || !math.IsInf(dropped, 1) {
				t.Errorf("%.2f %% saved, with counters %.2f; dropped after %.2f s", 100*by,
					100*counted, dropped)
			}
			share := table.Functions[0]["share_low"].(float64)
			exchangedSlow, exchanged, second := governedBy(t, l, 1, "exchanged entries",
				"--sensitivity", table.changed(t, 0, share))
			highSlow, high, after := governedBy(t, l, repeats, "a table that is too high",
				"--sensitivity", table.changed(t, 0.95, 0.9))
			if after > 2 {
				t.Errorf("a table that is too high is dropped after %.2f s", after)
			}
			row := fmt.Sprintf("| %s | %.1f %% | %.1f %% |", c.name, 100*counted, 100*counterSlow)
			for _, x := range [][3]float64{{by, slow, dropped}, {exchanged, exchangedSlow, second},
				{high, highSlow, after}} {
				row += fmt.Sprintf(" %.1f %% | %.1f %% | %.1f s |", 100*x[0], 100*x[1], x[2])
			}
			t.Logf("governed: %s", row)
		})
	}
}
