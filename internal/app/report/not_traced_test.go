package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestNotTraced(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		own, all time.Duration
		running  int
		drops    string
		want     string
	}{
		"all is there":        {1000 * ms, 1500 * ms, 0, "", ""},
		"rounding":            {1010 * ms, 1515 * ms, 0, "", ""},
		"a tick of a short":   {1009 * ms, 0, 0, "", ""},
		"no clock":            {0, 0, 0, "", ""},
		"less by the clock":   {900 * ms, 0, 0, "", ""},
		"the process's":       {1446 * ms, 1500 * ms, 0, "", "446 ms (30.8 %) of the CPU time"},
		"another process's":   {1000 * ms, 2000 * ms, 0, "", "500 ms (25.0 %) of the CPU time"},
		"the larger":          {1100 * ms, 2000 * ms, 0, "", "500 ms (25.0 %) of the CPU time"},
		"no room":             {1446 * ms, 0, 0, "no_storage", "no room to follow 3 threads"},
		"lost":                {1446 * ms, 0, 0, "ring_full", "records of its threads were lost"},
		"threads still run":   {1030 * ms, 0, 4, "", ""},
		"more than they hide": {1050 * ms, 0, 4, "", "50 ms (4.8 %) of the CPU time"},
	} {
		r := Report{PID: 7, Threads: []Thread{
			{TID: 7, PID: 7, RunNS: 600e6, TracedRunNS: 600e6},
			{TID: 8, PID: 7, RunNS: 400e6, TracedRunNS: 400e6},
			{TID: 9, PID: 9, RunNS: 500e6, TracedRunNS: 500e6}}}
		if c.drops != "" {
			r.Drops = map[string]uint64{c.drops: 3}
		}
		r.FindNotTraced(c.own, c.all, c.running)
		var summary bytes.Buffer
		r.WriteSummary(&summary)
		for what, text := range map[string]string{"summary": summary.String(),
			"report": r.AsItRan()} {
			text = strings.Join(strings.Fields(text), " ")
			if strings.Contains(text, "not traced") != (c.want != "") ||
				!strings.Contains(text, c.want) {
				t.Errorf("%s, %s: %q, want %q", name, what, text, c.want)
			}
		}
	}
}

// TestUnseenSwitches: what the scheduler counts of threads and the tables do not have has a line; a
// hold-off leaves out time on purpose.
func TestUnseenSwitches(t *testing.T) {
	for name, c := range map[string]struct {
		traced   int64
		seen     uint64
		profiled int64
		clock    time.Duration
		want     string
	}{
		"all is there":       {1000e6, 5000, 2e9, time.Second, ""},
		"more than it":       {1100e6, 5000, 2e9, time.Second, ""},
		"one percent":        {990e6, 5000, 2e9, time.Second, ""},
		"some missing":       {900e6, 4960, 2e9, time.Second, "100 ms (10.0 %)"},
		"without a clock":    {900e6, 4960, 2e9, 0, "ebb saw 4960 of"},
		"switches missing":   {900e6, 4000, 2e9, time.Second, "ebb saw 4000 of"},
		"all were seen":      {900e6, 5000, 2e9, time.Second, "the scheduler charges its threads"},
		"hold-off":           {250e6, 1250, 5e8, time.Second, ""},
		"no thread of these": {400e6, 4000, 2e9, 1500 * time.Millisecond, "500 ms (33.3 %)"},
	} {
		r := Report{PID: 7, WallNS: 2e9, ProfiledNS: c.profiled, Threads: []Thread{{TID: 7, PID: 7,
			RunNS: 1e9, Switches: 5000, TracedRunNS: c.traced, TracedSwitches: c.seen}}}
		r.FindNotTraced(c.clock, c.clock, 0)
		got := r.notTraced()
		if (got != "") != (c.want != "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
