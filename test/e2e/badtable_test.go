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
	dir := t.TempDir()
	for _, tc := range []struct{ name, text, words string }{
		{"torn last line", tableHead + tableRow + "1,5,5,F", ".csv:4: "},
		{"torn in a number", tableHead + tableRow + "1,5,5,F,0,10,", ".csv:4: "},
		{"too few columns", tableHead + tableRow + "1,5,5,F,0,10\n", ".csv:4: "},
		{"too many columns", tableHead + tableRow + "1,5,5,F,0,10,1,0,1\n", ".csv:4: "},
		{"NaN", tableHead + tableRow + "1,5,NaN,F,0,10,1,0\n", ".csv:4: "},
		{"fraction", tableHead + tableRow + "1,5,5.5,F,0,10,1,0\n", ".csv:4: "},
		{"negative duration", tableHead + tableRow + "1,5,-5,F,0,10,1,0\n", ".csv:4: "},
		{"number out of range", tableHead + tableRow + "1,5,99999999999999999999,F,0,10,1,0\n", ".csv:4: "},
		{"unknown event", tableHead + tableRow + "1,5,5,Q9,0,10,1,0\n", ".csv:4: "},
		{"no header", tableRow, ".csv:1: "},
		{"header that is no JSON", "# {oops\nepoch,dur\n", ".csv:1: "},
		{"unknown time unit", strings.Replace(tableHead, `"ns"`, `"weeks"`, 1) + tableRow, "weeks"},
		{"missing column", "# {\"workload\":\"t\",\"freq_mhz\":1000,\"n_threads\":1,\"total_ns\":10,\"epochs\":1,\"time_unit\":\"ns\"}\nepoch,t_start,tid\n0,0,0\n", "dur"},
		{"empty file", "", ""},
		{"binary", "\x00\x01\x02\xff\xfe", ""},
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

// TestEndlessLine gives ebb a table whose third line has 10 GB: a sparse file, so it takes no space.
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
