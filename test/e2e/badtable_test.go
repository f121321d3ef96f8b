package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	tableHead = `# {"workload":"t","freq_mhz":1000,"n_threads":1,"total_ns":10,"epochs":2,"time_unit":"ns"}` + "\n" +
		"epoch,t_start,dur,end_events,tid,insts,crit_dram,sq_full\n"
	tableRow = "0,0,5,W0,0,10,1,0\n"
)

func TestBadEpochTables(t *testing.T) {
	besideOthers(t)
	dir := t.TempDir()
	for _, tc := range []struct{ name, text, words string }{
		{"torn last line", tableHead + tableRow + "1,5,5,F", ".csv:4: "},
		{"torn in a number", tableHead + tableRow + "1,5,5,F,0,10,", ".csv:4: "},
		{"too few columns", tableHead + tableRow + "1,5,5,F,0,10\n", ".csv:4: "},
		{"too many columns", tableHead + tableRow + "1,5,5,F,0,10,1,0,1\n", ".csv:4: "},
		{"NaN", tableHead + tableRow + "1,5,NaN,F,0,10,1,0\n", ".csv:4: "},
		{"fraction", tableHead + tableRow + "1,5,5.5,F,0,10,1,0\n", ".csv:4: "},
		{"negative duration", tableHead + tableRow + "1,5,-5,F,0,10,1,0\n", ".csv:4: "},
		{"number out of range", tableHead + tableRow + "1,5,99999999999999999999,F,0,10,1,0\n",
			".csv:4: "},
		{"unknown event", tableHead + tableRow + "1,5,5,Z9,0,10,1,0\n", ".csv:4: "},
		{"no header", tableRow, ".csv:1: "},
		{"header that is no JSON", "# {oops\nepoch,dur\n", ".csv:1: "},
		{"unknown time unit", strings.Replace(tableHead, `"ns"`, `"weeks"`, 1) + tableRow, "weeks"},
		{"missing column", "# {\"workload\":\"t\",\"freq_mhz\":1000,\"n_threads\":1," +
			"\"total_ns\":10,\"epochs\":1,\"time_unit\":\"ns\"}\n" +
			"epoch,t_start,tid\n0,0,0\n", "dur"},
		{"empty file", "", ""},
		{"binary", "\x00\x01\x02\xff\xfe", ""},
		{"counter that is negative", tableHead + tableRow + "1,5,5,F,0,10,-1,0\n",
			".csv:4: column crit_dram: negative"},
		{"counter that is missing", tableHead + tableRow + "1,5,5,F,0,10,,0\n",
			".csv:4: column crit_dram: "},
		{"counter that is no number", tableHead + tableRow + "1,5,5,F,0,10,1,abc\n",
			".csv:4: column sq_full: not a number"},
		{"thread that is negative", tableHead + tableRow + "1,5,5,F,-7,10,1,0\n",
			".csv:4: column tid: negative"},
		{"epochs that overlap", tableHead + tableRow + "1,4,5,F,0,10,1,0\n",
			".csv:4: column t_start: "},
		{"epochs out of order", tableHead + "1,0,5,W0,0,10,1,0\n0,5,5,F,0,10,1,0\n",
			".csv:4: column epoch: "},
		{"rows that differ", tableHead + tableRow + "0,0,6,W0,1,10,1,0\n", ".csv:4: column dur: "},
		{"a thread twice", tableHead + tableRow + tableRow, ".csv:4: column tid: "},
		{"a column twice", strings.Replace(tableHead, "sq_full", "crit_dram", 1) + tableRow,
			".csv:2: "},
		{"a line is missing", tableHead + tableRow,
			".csv: the rows do not add up to the header's totals: 1 epochs, not 2"},
		{"no frequency", strings.Replace(tableHead, ":1000,", ":0,", 1) + tableRow, ".csv:1: "},
		{"negative frequency", strings.Replace(tableHead, ":1000,", ":-5,", 1) + tableRow,
			".csv:1: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(dir, strings.ReplaceAll(tc.name, " ", "-")+".csv")
			if err := os.WriteFile(path, []byte(tc.text), 0o644); err != nil {
				t.Fatal(err)
			}
			r := ebb(t, "predict", path, "--to", "2GHz")
			refused(t, r, 2, filepath.Base(path), tc.words)
		})
	}
	t.Run("not compressed in spite of its name", func(t *testing.T) {
		path := filepath.Join(dir, "plain.csv.gz")
		if err := os.WriteFile(path, []byte(tableHead+tableRow), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, ebb(t, "predict", path, "--to", "2GHz"), 2, "plain.csv.gz")
	})
}

// TestCountersBeyondTheDuration: they are clamped and counted, once a file.
func TestCountersBeyondTheDuration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "over.csv")
	if err := os.WriteFile(path, []byte(tableHead+tableRow+"1,5,5,F,0,10,100,0\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	r := ebb(t, "predict", path, "--to", "2GHz,4GHz", "--model", "wake,dep")
	if r.code != 0 || strings.Count(r.stdout,
		"over.csv: 1 of 2 rows have counters beyond their epoch's duration") != 1 {
		t.Errorf("status %d, %s%s", r.code, r.stdout, r.stderr)
	}
	r = ebb(t, "predict", path, "--to", "2GHz", "--json")
	if r.code != 0 || !strings.Contains(r.stdout, `"clamped_rows": 1`) {
		t.Errorf("status %d, %s%s", r.code, r.stdout, r.stderr)
	}
}

// TestEndlessLine gives ebb a table whose third line has 10 GB: a sparse file, so it takes no
// space.
func TestEndlessLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "endless.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(tableHead); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(10 << 30); err != nil {
		t.Skipf("this file system has no sparse files of 10 GB: %v", err)
	}
	r := ebb(t, "predict", path, "--to", "2GHz")
	refused(t, r, 2, "endless.csv", ".csv:3: ")
	if r.maxRSS > 256<<20 {
		t.Errorf("took %d MiB of memory", r.maxRSS>>20)
	}
}
