package perturbation

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/bench"
)

// TestDirectory: the files have the figures' numbers, of the period that is shown, and nothing of a
// name of the program's becomes more than a cell.
func TestDirectory(t *testing.T) {
	const evil = "=cmd()\n<b>\x1b[2J"
	part := func(share, over float64) map[string][]footprint {
		return map[string][]footprint{
			"method": {{evil, share, 0.25, over}, {"b", 1 - share, 0.75, 0}},
			"class":  {{"B", 1, 1, 1}}, "package": {{"p", 1, 1, 1}}}
	}
	run := func(wall time.Duration, share, over float64) oneRun {
		return oneRun{wall: wall, facts: facts{methods: 7, threads: 3, running: 1.5,
			sources: []string{"modelled by table2"}, shares: part(share, over)}}
	}
	row := func(period int) Row {
		return Row{PeriodMS: period, RateHz: rateOf(period), Batches: 2,
			Time:   bench.Interval{Estimate: 0.02, Lo: 0.01, Hi: 0.03, N: 2},
			runs:   []oneRun{run(time.Second, 0.2, 3), run(time.Second, 0.4, 0)},
			alone:  []oneRun{run(time.Second, 0, 0), run(3*time.Second, 0, 0)},
			report: []byte("{}")}
	}
	rows := []Row{row(1), row(8), row(16)}
	rows[1].Calm = true
	rows[1].Temporal = Correlation{R: 0.9, SE: 0.01, Known: true}
	rows[1].observed = []Run{{{1e9, 2e9}, {2e9, 3e9}}}
	rows[1].reference = []Run{{{1e9, 1e9}, {1e9, 3e9}}}
	s := Search{Settings: Settings{Runs: 2, Epoch: time.Second}, argv: []string{"./a", evil}}
	dir := t.TempDir()
	if err := s.WriteDirectory(dir, rows); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"program.csv": {",8,2,2,1.41421,7,3,1.5,modelled by table2"},
		"overhead.csv": {"1,1000,0.02,0.01,0.03,,,,,,,,,,,,,,,,,inconclusive,2,,,",
			"8,125,0.02,0.01,0.03,,,,,,,,,,,,,0.9,0.01,,,calm,2,,,"},
		"footprint.csv": {"method,b,0.7,0.6,0.8,0.75,", ",0.3,0.2,0.4,0.25,3", "class,B,1,1,1,1,1"},
		"temporal.csv":  {"alone,1e+09,1.25e+09,0,1", "observed,2.75e+09,3e+09,1,0.5"},
		"spatial.csv":   {"alone,1e+09,1.5e+09,2,0.5", "observed,2e+09,2.5e+09,1,1"},
		"report.json":   {"{}"},
		"calm.html":     {"Most energy, by package", "over-attribution", "no meter measured it"},
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in\n%s", name, w, text)
			}
		}
		if strings.Contains(text, "<b>\x1b") || strings.Contains(text, "\n=cmd") ||
			strings.Contains(text, "NaN") || name == "calm.html" && strings.Contains(text, "<b>") {
			t.Errorf("%s:\n%s", name, text)
		}
		if strings.HasSuffix(name, ".csv") {
			if _, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestNothingInTheDirectory: without a period there is nothing to write.
func TestNothingInTheDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := (&Search{}).WriteDirectory(dir, nil); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v", files, err)
	}
}
