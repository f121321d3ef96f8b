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
		r := Report{PID: 7, Threads: []Thread{{TID: 7, PID: 7, RunNS: 600e6},
			{TID: 8, PID: 7, RunNS: 400e6}, {TID: 9, PID: 9, RunNS: 500e6}}}
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
