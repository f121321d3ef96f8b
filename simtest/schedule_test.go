package simtest

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/simtest/hardware"
)

// TestSchedule: a schedule by work changes the clock when that much work has been done, and a
// schedule of one step is a static run.
func TestSchedule(t *testing.T) {
	p := paper()
	w := busyProgram(4, 150)
	o := Options{Seed: 3, Progress: 1_000_000}
	fast, slow := static(t, p, w, o, 4*testGHz), static(t, p, w, o, testGHz)
	half := fast.Work / 2
	tr, err := Scheduled(p, w, o, []Step{{0, 4 * testGHz}, {half, testGHz}, {half, testGHz}})
	if err != nil {
		t.Fatal(err)
	}
	var changed time.Duration
	for _, r := range tr.Frequencies {
		if r.Frequency == 4*testGHz {
			changed = r.Time
		}
	}
	// Up to there it is the fast run.
	i := int(half / o.Progress)
	if before, after := fast.Progress[i-1].At, fast.Progress[i].At; changed < before ||
		changed > after {
		t.Errorf("the clock changed at %v; the work was done between %v and %v", changed, before,
			after)
	}
	if tr.Transitions != 1 || tr.Wall <= fast.Wall || tr.Wall >= slow.Wall || tr.Work != fast.Work {
		t.Errorf("%d transitions, %v between %v and %v, %d and %d instructions", tr.Transitions,
			tr.Wall, fast.Wall, slow.Wall, tr.Work, fast.Work)
	}
	one, err := Scheduled(p, w, o, []Step{{0, 4 * testGHz}})
	if err != nil || digest(*one) != digest(*fast) {
		t.Errorf("a schedule of one step is no static run: %v", err)
	}
}

func TestBadSchedules(t *testing.T) {
	for _, steps := range [][]Step{nil, {{1, testGHz}}, {{0, testGHz}, {5, testGHz}, {4, testGHz}},
		{{0, 123}}} {
		if _, err := Scheduled(paper(), busyProgram(1, 1), Options{}, steps); err == nil {
			t.Errorf("%v was taken", steps)
		}
	}
}

// TestBadOptions: impossible options are refused with a reason.
func TestBadOptions(t *testing.T) {
	hwp, err := hardware.ByName("hwp")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		p hardware.Profile
		o Options
	}{
		"negative quantum":      {paper(), Options{Quantum: -1}},
		"unknown counter":       {paper(), Options{Counters: []string{"nonsense"}}},
		"too many counters":     {paper(), Options{Counters: CounterNames()}},
		"no such state":         {paper(), Options{Initial: 1234567}},
		"no machine":            {hardware.Profile{Name: "none"}, Options{}},
		"counter not offered":   {hwp, Options{Counters: []string{"crit_dram"}}},
		"exactness not offered": {hwp, Options{Exact: true}},
	} {
		if _, err := New(c.p, busyProgram(1, 1), c.o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
