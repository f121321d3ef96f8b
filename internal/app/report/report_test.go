package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

var states = []units.Frequency{1e9, 2e9, 4e9}

// quantum is 5 ms of one thread, measured at 4 GHz, with 4 ms of it not scaling; it was to run at
// f.
func quantum(i int, f units.Frequency) governor.Action {
	at := func(f units.Frequency) float64 { return 4e6 + 1e6*4e9/float64(f) }
	return governor.Action{Kind: governor.Decided, Quantum: governor.Quantum{
		Measured: governor.Measured{Start: units.Instant(i) * 5e6, Dur: 5 * time.Millisecond,
			Epochs: 3, Rows: 3, Busy: 5 * time.Millisecond, ThreadRun: 5 * time.Millisecond},
		Clock:     governor.Clock{Delivered: 4e9, Effective: f},
		Predicted: governor.Predicted{AtEffective: at(f), Expected: 1.25},
		Choice: governor.Choice{Max: at(4e9), Chosen: 2e9, ChosenDur: at(2e9), Reason: "budget",
			Rules: 1},
	}}
}

func collect(t *testing.T, n int, f units.Frequency) *Report {
	t.Helper()
	r := &Report{Objective: "slowdown", SlowdownBudget: 0.05, Actuator: "shadow",
		ActuatorReason: "no frequency control", HoldOff: 1}
	c := NewObserver(r, states, power.Table2())
	c.Observe(&governor.Event{Kind: governor.Begin}, nil)
	for i := range n {
		c.Observe(&governor.Event{Kind: governor.Sched}, []governor.Action{quantum(i, f)})
	}
	c.Observe(&governor.Event{Kind: governor.End, At: units.Instant(n) * 5e6}, nil)
	c.Finish()
	return r
}

func TestTotals(t *testing.T) {
	r := collect(t, 100, 2e9)
	if want := int64(500e6); r.WallNS != want || r.ProfiledNS != want || r.IdleNS != 0 {
		t.Errorf("wall %d, profiled %d, idle %d; want %d, %d, 0", r.WallNS, r.ProfiledNS, r.IdleNS,
			want, want)
	}
	if r.Epochs != 300 || len(r.Quanta) != 100 {
		t.Errorf("%d epochs, %d quanta; want 300, 100", r.Epochs, len(r.Quanta))
	}
	// 6 ms at 2 GHz against 5 ms at 4 GHz.
	if got := r.SlowdownPredicted; got < 0.1999 || got > 0.2001 {
		t.Errorf("slowdown %v, want 0.2", got)
	}
	// Each decision expected 1.25, the quanta say 1.2.
	if e := r.ForecastError; e == nil || *e < 0.0499 || *e > 0.0501 {
		t.Errorf("forecast error %v, want 0.05", e)
	}
	if f := r.Frequencies; len(f) != 1 || f[0].FreqHz != 2e9 || f[0].TimeNS != 500e6 {
		t.Errorf("frequencies %v, want 500 ms at 2 GHz", f)
	}
	for _, e := range r.Energy {
		if e.Source != "modelled" || e.Model == "" || e.ProfiledNS != r.ProfiledNS {
			t.Errorf("energy of zone %s does not say where it comes from: %+v", e.Zone, e)
		}
	}
	if cpu := r.Energy[0]; cpu.Zone != "cpu" || cpu.EnergyNJ >= cpu.MaxFreqNJ || cpu.EnergyNJ <= 0 {
		t.Errorf("processor energy %d nJ against %d; want less, above zero", cpu.EnergyNJ,
			cpu.MaxFreqNJ)
	}
}

func TestLongRunsKeepTheirTotals(t *testing.T) {
	n := maxQuanta*2 + 1000
	r := collect(t, n, 4e9)
	if len(r.Quanta) > maxQuanta {
		t.Errorf("%d quanta kept, more than %d", len(r.Quanta), maxQuanta)
	}
	if want := int64(n) * 5e6; r.ProfiledNS != want {
		t.Errorf("profiled %d ns, want %d", r.ProfiledNS, want)
	}
	if r.Decisions != int64(n) {
		t.Errorf("%d decisions, want %d", r.Decisions, n)
	}
	for i := 1; i < len(r.Quanta); i++ {
		if r.Quanta[i].StartNS <= r.Quanta[i-1].StartNS {
			t.Fatalf("quantum %d starts at %d, the one before at %d", i, r.Quanta[i].StartNS,
				r.Quanta[i-1].StartNS)
		}
	}
	step := r.Quanta[1].StartNS - r.Quanta[0].StartNS
	for i := 1; i < len(r.Quanta); i++ {
		if got := r.Quanta[i].StartNS - r.Quanta[i-1].StartNS; got != step {
			t.Fatalf("kept quanta are %d and %d ns apart: not thinned evenly", step, got)
		}
	}
}

func TestFieldsThatOthersReadAreThere(t *testing.T) {
	b, err := json.Marshal(collect(t, 3, 2e9))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wall_ns", "epochs", "lost_records", "slowdown_budget",
		"slowdown_predicted", "own_cpu_ns", "own_rss_bytes", "actuator", "threads", "quanta",
		"energy"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("the report has no %q", name)
		}
	}
}

func TestSummarySaysWhatIsModelled(t *testing.T) {
	var b bytes.Buffer
	collect(t, 200, 2e9).WriteSummary(&b)
	for _, want := range []string{"shadow mode, nothing was written", "modelled", "budget 5.0 %",
		"20.0 % predicted", "2 GHz", "100.0%"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the summary does not say %q:\n%s", want, b.String())
		}
	}
}

// The figures of a summary are those of the report, in words that fit them.
func TestSummarySaysWhatItMeans(t *testing.T) {
	modelled := func(e, most int64) []Energy {
		return []Energy{{Zone: "cpu", Source: Modelled, EnergyNJ: e, MaxFreqNJ: most},
			{Zone: "dram", Source: Modelled, EnergyNJ: 1e9, MaxFreqNJ: 1e9}}
	}
	for want, r := range map[string]Report{
		"1 J of processor and memory": {Energy: []Energy{{Zone: "cpu", Source: Modelled,
			EnergyNJ: 1e9, MaxFreqNJ: 2e9}}},
		"40.0 % saved":                 {Energy: modelled(2e9, 4e9)},
		"20.0 % more":                  {Energy: modelled(5e9, 4e9)},
		"0.0 % saved":                  {Energy: modelled(4_000_100_000, 4e9)},
		"1 thread, 1 decision\n":       {Threads: make([]Thread, 1), Decisions: 1},
		"0 threads, 40000 decisions\n": {Decisions: 40000},
		"0.0 % predicted, budget 5.0 %": {Objective: "slowdown", SlowdownBudget: 0.05,
			SlowdownPredicted: -0.0001},
		"2.4 GHz all the time":    {Objective: "fixed", FixedHz: 2_400_000_000},
		"objective system-energy": {Objective: "system-energy"},
		"60 ms of CPU time to start, then 20 ms (2.0 % of one": {OwnStartCPUNS: 60e6,
			OwnCPUNS: 80e6, WallNS: 1e9},
	} {
		var b bytes.Buffer
		r.WriteSummary(&b)
		if !strings.Contains(b.String(), want) {
			t.Errorf("the summary does not say %q:\n%s", want, b.String())
		}
	}
}
