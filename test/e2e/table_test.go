package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// table is an epoch table as the test reads it, with nothing of ebb's own reader.
type table struct {
	head struct {
		TotalNS  int64  `json:"total_ns"`
		Epochs   int64  `json:"epochs"`
		TimeUnit string `json:"time_unit"`
	}
	columns []string
	rows    [][]string
}

func readTable(t *testing.T, path string) table {
	t.Helper()
	b := devtest.UnpackedGolden(t, path)
	first, rest, _ := strings.Cut(string(b), "\n")
	var tab table
	if err := json.Unmarshal([]byte(strings.TrimPrefix(first, "# ")), &tab.head); err != nil {
		t.Fatalf("first line %q: %v", first, err)
	}
	rows, err := csv.NewReader(strings.NewReader(rest)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	tab.columns, tab.rows = rows[0], rows[1:]
	return tab
}

func (tab table) column(t *testing.T, name string) int {
	t.Helper()
	for i, c := range tab.columns {
		if c == name {
			return i
		}
	}
	t.Fatalf("no column %q among %q", name, tab.columns)
	return 0
}

func TestEpochTableFitsTheRunAndPredicts(t *testing.T) {
	needRoot(t)
	nothingLeft(t)
	path, tab, sum, epochs := recordTimed(t)
	if epochs == 0 || epochs != tab.head.Epochs || sum != tab.head.TotalNS {
		t.Errorf("%d epochs of %d ns, the head says %+v", epochs, sum, tab.head)
	}

	r := ebb(t, "predict", path, "--to", "1GHz,2GHz,4GHz", "--json")
	var predictions []struct {
		File        string `json:"file"`
		TargetHz    int64  `json:"target_hz"`
		PredictedNS int64  `json:"predicted_ns"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &predictions); err != nil || r.code != 0 ||
		len(predictions) != 3 {
		t.Fatalf("predict: status %d, %v, %s%s", r.code, err, r.stdout, r.stderr)
	}
	for i := 1; i < len(predictions); i++ {
		if predictions[i].PredictedNS > predictions[i-1].PredictedNS ||
			predictions[i].PredictedNS <= 0 {
			t.Errorf("not shorter at a higher frequency: %+v", predictions)
		}
	}
}

// recordTimed records an epoch table of a run that was seen to end, and returns it with the time
// and the number of its epochs. It is made again where they do not fit what was seen, as in
// governTimed.
func recordTimed(t *testing.T) (path string, tab table, sum, epochs int64) {
	t.Helper()
	for run := 1; ; run++ {
		path = filepath.Join(t.TempDir(), "e.csv.gz")
		seen := record(t, path)
		tab = readTable(t, path)
		sum, epochs = tab.total(t)
		var err error
		wall := seen.ended - seen.began
		if sum < wall-wall/1000-int64(seen.waited) || sum > wall+wall/1000+int64(seen.before) {
			err = fmt.Errorf("epochs add up to %v, the run took %v to %v (%v waited)",
				time.Duration(sum), time.Duration(wall), time.Duration(wall)+seen.before,
				seen.waited)
		}
		if err == nil || run == mostRuns {
			if err != nil {
				t.Error(err)
			}
			return path, tab, sum, epochs
		}
		t.Log("once more: ", err)
	}
}

// record writes an epoch table of a run, and returns when that began and ended.
func record(t *testing.T, path string) (seen truth) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	stdout, err := os.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	args := append([]string{"record", "--epochs", path, "--"},
		workload(t, "stamp", workload(t, "contend", "4", "4")...)...)
	cmd := command(t, args...)
	cmd.Dir = filepath.Dir(path)
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	pid, seen.began, seen.before = waitBegan(t, out)
	seen.ended, seen.waited = waitEnd(t, pid)
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, cmd.Dir, filepath.Base(path))
	return seen
}

// total adds up the epochs, which have no gaps.
func (tab table) total(t *testing.T) (sum, epochs int64) {
	t.Helper()
	epoch, dur, start := tab.column(t, "epoch"), tab.column(t, "dur"), tab.column(t, "t_start")
	var end int64
	last := ""
	for i, row := range tab.rows {
		if row[epoch] == last {
			continue
		}
		last = row[epoch]
		if at := atoi(t, row[start]); epochs > 0 && at != end {
			t.Fatalf("epoch in row %d begins at %d, the one before ends at %d", i, at, end)
		}
		sum += atoi(t, row[dur])
		end = atoi(t, row[start]) + atoi(t, row[dur])
		epochs++
	}
	if tab.head.TimeUnit == "ps" {
		sum /= 1000
	}
	return sum, epochs
}
