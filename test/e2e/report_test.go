package e2e

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// runReport is what the tests read of a report: the names the format promises.
type runReport struct {
	StartedNS         int64    `json:"started_ns"`
	WallNS            int64    `json:"wall_ns"`
	ProfiledNS        int64    `json:"profiled_ns"`
	Epochs            int64    `json:"epochs"`
	LostRecords       *uint64  `json:"lost_records"`
	SlowdownBudget    *float64 `json:"slowdown_budget"`
	SlowdownPredicted *float64 `json:"slowdown_predicted"`
	OwnCPUNS          int64    `json:"own_cpu_ns"`
	OwnRSSBytes       int64    `json:"own_rss_bytes"`
	StalledNS         int64    `json:"stalled_ns"`
	EndingNS          int64    `json:"ending_ns"`
	Actuator          string   `json:"actuator"`
	Threads           []struct {
		TID         int    `json:"tid"`
		Comm        string `json:"comm"`
		RunNS       int64  `json:"run_ns"`
		TracedRunNS int64  `json:"traced_run_ns"`
		Switches    uint64 `json:"switches"`
		FutexSleeps uint64 `json:"futex_sleeps"`
	} `json:"threads"`
	Quanta []struct {
		StartNS        int64  `json:"start_ns"`
		DurNS          int64  `json:"dur_ns"`
		FreqHz         int64  `json:"freq_hz"`
		PredictedMaxNS int64  `json:"predicted_max_ns"`
		ChosenHz       int64  `json:"chosen_hz"`
		Reason         string `json:"reason"`
	} `json:"quanta"`
	Energy []struct {
		Zone      string `json:"zone"`
		Source    string `json:"source"`
		EnergyNJ  int64  `json:"energy_nj"`
		EndingNJ  int64  `json:"ending_energy_nj"`
		MaxFreqNJ int64  `json:"max_freq_energy_nj"`
		Frozen    bool   `json:"frozen"`
	} `json:"energy"`
}

func readReport(t testing.TB, path string) runReport {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r runReport
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return r
}

func TestReportFitsTheRun(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	for _, tc := range []struct {
		name, workload string
		args           []string
		long           bool
	}{
		{"java-monitor", "java-contend", []string{"4", "4"}, true},
		{"java-xalan", "xalan", []string{"4", "4"}, false},
		{"java-h2", "h2", []string{"4", "4"}, true},
		{"pthread", "prodcons", []string{"2", "2000000", "1000"}, false},
		{"go", "contend", []string{"4", "4"}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.long {
				devtest.Long(t)
			}
			r, tr := governTimed(t, []string{"--slowdown", "5%"},
				workload(t, tc.workload, tc.args...))
			if !didLine.MatchString(tr.output) {
				t.Errorf("the program did nothing:\n%s", tr.output)
			}
			checkTotals(t, r)
			checkDecisions(t, r)
			checkThreads(t, r, tr)
			if r.OwnRSSBytes <= 0 || r.OwnRSSBytes > 64<<20 {
				t.Errorf("own memory %d bytes, want more than 0 and less than 64 MiB",
					r.OwnRSSBytes)
			}
			if r.OwnCPUNS <= 0 {
				t.Errorf("own CPU time %d ns", r.OwnCPUNS)
			}
		})
	}
}

func checkTotals(t *testing.T, r runReport) {
	t.Helper()
	if r.Epochs <= 0 {
		t.Errorf("%d epochs", r.Epochs)
	}
	if r.LostRecords == nil || *r.LostRecords != 0 {
		t.Errorf("lost records: %v, want 0", r.LostRecords)
	}
	var sum int64
	for _, q := range r.Quanta {
		sum += q.DurNS
	}
	if !near(sum, r.WallNS, 0.001, 0) {
		t.Errorf("quanta add up to %v of %v wall time", time.Duration(sum), time.Duration(r.WallNS))
	}
}

func checkDecisions(t *testing.T, r runReport) {
	t.Helper()
	if r.SlowdownBudget == nil || r.SlowdownPredicted == nil {
		t.Fatalf("no slowdown budget or no predicted slowdown: %+v", r)
	}
	if *r.SlowdownBudget != 0.05 {
		t.Errorf("slowdown budget %v, want 0.05", *r.SlowdownBudget)
	}
	if *r.SlowdownPredicted < 0 || *r.SlowdownPredicted > 0.06 {
		t.Errorf("predicted slowdown %v is outside 0 to 6 %%", *r.SlowdownPredicted)
	}
	if len(r.Quanta) < 100 {
		t.Fatalf("%d quanta in 4 s", len(r.Quanta))
	}
	for i, q := range r.Quanta {
		switch {
		case q.FreqHz <= 0 || q.ChosenHz <= 0 || q.Reason == "":
			t.Fatalf("quantum %d is undecided: %+v", i, q)
		case q.PredictedMaxNS < 0 || q.PredictedMaxNS > q.DurNS+q.DurNS/100:
			t.Fatalf("quantum %d at the highest frequency would take longer than it took: %+v", i,
				q)
		case i > 0 && q.StartNS != r.Quanta[i-1].StartNS+r.Quanta[i-1].DurNS:
			t.Fatalf("quantum %d does not begin where the one before ends: %+v, %+v", i,
				r.Quanta[i-1], q)
		}
	}
	if len(r.Energy) == 0 {
		t.Error("no energy")
	}
	for _, e := range r.Energy {
		if e.EnergyNJ <= 0 || e.MaxFreqNJ <= 0 || e.Source == "" {
			t.Errorf("energy of %q: %+v", e.Zone, e)
		}
	}
	switch r.Actuator {
	case "setspeed", "clamp", "shadow":
	default:
		t.Errorf("actuator %q", r.Actuator)
	}
}

// checkThreads compares run times with the kernel's, as the program's own threads read them at
// their end. Only ebb's figure has the time after the reading, printing included. ebb's time lasts
// until the tracepoint; the kernel's count ends before it, by some microseconds on a busy machine,
// and leaves out the time that the hypervisor took.
func checkThreads(t *testing.T, r runReport, tr truth) {
	t.Helper()
	if len(tr.threads) == 0 {
		t.Fatalf("the program reported no threads:\n%s", tr.output)
	}
	seen := 0
	for _, th := range r.Threads {
		want, ok := tr.threads[th.TID]
		if !ok {
			continue
		}
		seen++
		const (
			after     = time.Millisecond // what follows the reading
			perSwitch = 10 * time.Microsecond
		)
		if !near(th.RunNS, want.runNS, 0.005, after) {
			t.Errorf("thread %d (%s) ran %v, by the kernel's count %v", th.TID, th.Comm,
				time.Duration(th.RunNS), time.Duration(want.runNS))
		}
		if !near(th.TracedRunNS, want.runNS, 0.005,
			after+tr.stolen+stolenUnseen+time.Duration(th.Switches)*perSwitch) {
			t.Errorf("thread %d (%s) was traced running %v, by the kernel's count %v", th.TID,
				th.Comm, time.Duration(th.TracedRunNS), time.Duration(want.runNS))
		}
	}
	if seen != len(tr.threads) {
		t.Errorf("%d of the program's %d threads are in the report", seen, len(tr.threads))
	}
}
