package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestEnergySaysTheSumFirst: the master of a server does little itself; what its workers used is in
// the first figure.
func TestEnergySaysTheSumFirst(t *testing.T) {
	used := func(master, workers int64) *report.Report {
		p := &profile.Profile{WallNS: 1e9, Rules: []string{"ledger"},
			Zones: []profile.Zone{{Name: "package-0", Source: "measured", TotalNJ: 50e9,
				IdleNJ: []int64{1e9}}},
			Threads: []profile.Thread{{TID: 7, PID: 7, Comm: "nginx"}}}
		add := func(thread int, nj int64) {
			p.Threads[thread].RunNS = nj / 100
			p.Stacks = append(p.Stacks, profile.Stack{Thread: thread, EnergyNJ: []int64{nj}})
		}
		add(0, master)
		if workers > 0 {
			p.Threads = append(p.Threads, profile.Thread{TID: 8, PID: 8, Comm: "nginx"})
			add(1, workers)
		}
		return &report.Report{PID: 7, Attribution: p}
	}
	s := &run.Settings{Settings: part.Settings{Target: part.Target{PID: 7},
		Duration: time.Second}}
	for _, c := range []struct {
		r     *report.Report
		doubt string
		want  string
	}{
		{used(0, 34.16e9), "", "nginx (7) and what it started: 34.16 J in 1.0 s, 34.16 W; 0.34 s " +
			"of CPU time; measured; 0 J by itself, 34.16 J by processes that it started\n"},
		{used(2e9, 1e9), "", "nginx (7) and what it started: 3 J in 1.0 s, 3 W; 0.03 s of CPU " +
			"time; measured; 2 J by itself, 1 J by processes that it started\n"},
		{used(2e9, 0), "", "nginx (7): 2 J in 1.0 s, 2 W; 0.02 s of CPU time; measured\n"},
		{used(2e9, 0), "no such power", "nginx (7): 2 J in 1.0 s, 2 W; 0.02 s of CPU time; " +
			"measured; no such power\n"},
	} {
		c.r.Power = &report.Power{Doubt: c.doubt}
		var text, object strings.Builder
		if err := writeUsed(&text, c.r, s, nil, false); err != nil || text.String() != c.want {
			t.Errorf("%q, %v; want %q", text.String(), err, c.want)
		}
		var u usedEnergy
		measured := int(c.r.Attribution.Threads[0].PID)
		if err := writeUsed(&object, c.r, s, []int{measured, 99}, true); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(object.String()), &u); err != nil ||
			*u.Sum.EnergyNJ != *u.Process.EnergyNJ+*u.Started.EnergyNJ || *u.Sum.EnergyNJ == 0 ||
			u.Sum.CPUNS != u.Process.CPUNS+u.Started.CPUNS || u.Doubt != c.doubt ||
			!slices.Equal(u.Adopted, []int{99}) {
			t.Errorf("%+v, %v", u, err)
		}
	}
}
