package campaign

import (
	"fmt"
	"time"
)

// Totals are the sums over a campaign's runs.
type Totals struct {
	runs, withFaults, stopped               int
	events, quanta, holes, stale            int
	requests, refused, transitions, records int
	virtual                                 time.Duration
	profiles                                map[string]int
}

// Add adds a run.
func (t *Totals) Add(c *Case, r *Result) {
	t.runs++
	if t.profiles == nil {
		t.profiles = make(map[string]int)
	}
	t.profiles[c.Profile.Name]++
	if c.faulty() {
		t.withFaults++
	}
	if c.Stop > 0 {
		t.stopped++
	}
	t.events += r.Events
	t.quanta += r.Quanta
	t.holes += r.Holes
	t.stale += r.Stale
	t.requests += r.Truth.Requests
	t.refused += r.Truth.Refused
	t.transitions += r.Truth.Transitions
	t.records += r.Truth.Lost
	t.virtual += r.Truth.Wall
}

func (t *Totals) String() string {
	return fmt.Sprintf("%d runs, %d with faults, %d stopped from outside, %v of machine time; "+
		"%d events, %d quanta decided, %d holes, %d of them decided too late; "+
		"%d requests, %d refused, %d changes of clock; %d records lost; machines %v", t.runs,
		t.withFaults, t.stopped, t.virtual.Round(time.Millisecond), t.events, t.quanta, t.holes,
		t.stale, t.requests, t.refused, t.transitions, t.records, t.profiles)
}
