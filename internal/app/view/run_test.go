package view

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/energy/export"
	"github.com/ebb-energy/ebb/internal/energy/verdict"
)

// TestRunOfOlderReports: a page has what the report has; what it lacks is not shown as zero.
func TestRunOfOlderReports(t *testing.T) {
	for text, want := range map[string]export.Run{
		`{}`:                             {Name: "a program"},
		`{"command": "/bin/x y"}`:        {Name: "x", Command: "/bin/x y"},
		`{"command": "pid 7", "pid": 7}`: {Name: "pid 7", Command: "pid 7"},
		`{"command": "nginx.service", "cgroup": "/system.slice"}`: {Name: "nginx.service",
			Command: "nginx.service"},
		`{"ebb_version": "v1", "actuator": "clamp", "objective": "slowdown",
			"slowdown_budget": 0.5, "slowdown_predicted": 0.25}`: {Name: "a program",
			Clock: []string{"set by clamp"}, Records: &export.Records{},
			Slowdown: &export.Slowdown{Goal: "budget", Budget: new(0.5), ByClock: 0.25}},
		`{"ebb_version": "v1", "objective": "fixed", "fixed_freq_hz": 2000000000,
			"traced_ns": 5, "slowdown_own": 0.5, "slowdown_total": 0.75, "actuator": "clamp"}`: {
			Name: "a program", Clock: []string{"set by clamp"}, Records: &export.Records{},
			Slowdown: &export.Slowdown{Goal: "2GHz all the time", ByEbb: new(0.5),
				Together: new(0.75)}},
	} {
		r, err := report.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := runOf(r); !reflect.DeepEqual(*got, want) {
			t.Errorf("%s:\n got %+v\nwant %+v", text, *got, want)
		}
	}
}

// TestRunOf: everything that a report says of the run arrives.
func TestRunOf(t *testing.T) {
	r := &report.Report{Version: "v1", Date: "today", Command: "a b", Actuator: cpufreq.Shadow,
		ActuatorReason: "no control", ExitStatus: new(3), WallNS: 4e9, IdleNS: 1, ProfiledNS: 4,
		Host: report.Host{Name: "lab", Kernel: "6.12", CPUs: 2, Model: "Xeon"},
		Verdict: &verdict.Verdict{Answer: verdict.Unknown, Line: "cannot say: x",
			Better: []string{"y"}},
		ThreadTime: &report.ThreadTime{RunningNS: 1, RunnableNS: 2, ThrottledNS: 3,
			WaitProgramNS: 4, WaitWorldNS: 5},
		Energy: []report.Energy{
			{Zone: "package-0", Source: report.Measured, Meter: "perf", EnergyNJ: 5, MaxFreqNJ: 6,
				MaxFreqLoNJ: 4, MaxFreqHiNJ: 8, Frozen: true},
			{Zone: "cores", Source: report.Measured, Meter: "perf", Model: "m", MaxFreqNJ: 6},
			{Zone: "cpu", Source: report.Modelled, Model: "m"},
		},
		MeterComparisons: 2, LostRecords: 1, HoleQuanta: 2, StaleQuanta: 3,
		Quanta:   []report.Quantum{{StartNS: 1, DurNS: 2, FreqHz: 3, EffectiveHz: 4, ChosenHz: 5}},
		Refusals: []string{"no"}, Warnings: []string{"hm"}, Power: &report.Power{Taken: "none"},
	}
	got := runOf(r)
	for name, pair := range map[string][2]any{
		"host":     {got.Host, []string{"lab", "Xeon", "2 CPUs", "Linux 6.12"}},
		"date":     {got.Date, "today"},
		"status":   {*got.ExitStatus, 3},
		"answer":   {got.Answer, "cannot say"},
		"verdict":  {got.Verdict, "cannot say: x"},
		"better":   {got.Better, []string{"y"}},
		"wall":     {got.Wall, 4 * time.Second},
		"idle":     {*got.Idle, 0.25},
		"shadow":   {got.Shadow, true},
		"steps":    {got.Steps, []export.Step{{At: 1, Dur: 2, Frequency: 4}}},
		"records":  {*got.Records, export.Records{Lost: 1, Holes: 2, Late: 3}},
		"warnings": {got.Warnings, []string{"refused: no", "warning: hm"}},
		"power":    {got.Power, r.Power.Lines()},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
	for i, p := range got.Threads {
		if p.Time != time.Duration(i+1) {
			t.Errorf("%s: %v", p.Name, p.Time)
		}
	}
	for i, want := range []string{
		"saving by 2 comparisons with the highest frequency; the meter stood",
		"(RAPL by perf), saving by the model m", "modelled: m; not measured",
	} {
		if s := got.Savings[i]; !strings.Contains(s.Source, want) {
			t.Errorf("%s: %q does not say %q", s.Zone, s.Source, want)
		}
	}
	if s := got.Savings[0]; s.Used != 5 || s.Highest != 6 || s.Low != 4 || s.High != 8 {
		t.Errorf("%+v", s)
	}
	if len(got.Threads) != 5 || len(got.Clock) != 2 ||
		!strings.Contains(got.Clock[0], "no control") {
		t.Errorf("%v, %v", got.Threads, got.Clock)
	}
}

// TestRunTooShort: the page of a run that is too short to say has no share of its time or energy.
func TestRunTooShort(t *testing.T) {
	r := &report.Report{Version: "v1", Actuator: "clamp", WallNS: 999e6, DisplacedNS: 1,
		IdleNS: 5, ProfiledNS: 10,
		SlowdownOwn: 0.573, Energy: []report.Energy{{Zone: "cpu", Source: report.Modelled,
			EnergyNJ: 5, MaxFreqNJ: 6}}}
	got := runOf(r)
	if got.Slowdown != nil || got.Savings[0].Used != 5 || got.Savings[0].Highest != 0 ||
		got.Idle != nil || !got.Short {
		t.Errorf("%+v", got)
	}
	if r.WallNS = 1e9; runOf(r).Slowdown == nil || runOf(r).Savings[0].Highest != 6 ||
		runOf(r).Idle == nil || runOf(r).Short {
		t.Errorf("of a second: %+v", runOf(r))
	}
}
