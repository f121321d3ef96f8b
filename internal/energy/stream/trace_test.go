package stream

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// TestTrace: each table has its rows, hostile names are escaped, and the bound ends the windows.
func TestTrace(t *testing.T) {
	const ms = time.Millisecond
	files := map[string]*bytes.Buffer{}
	open := func(name string) io.Writer {
		files[name] = &bytes.Buffer{}
		return files[name]
	}
	tr := NewTrace([]string{"package-0", "cores-0"}, []bool{true, false}, 1<<20, open)
	w := energy.Window{From: units.Instant(time.Second), To: units.Instant(time.Second + 100*ms),
		Used: []units.Energy{5e8, 1e8},
		Runs: []energy.Run{{Thread: 7, CPU: 1, Frequency: 2e9, Alone: 30 * ms},
			{Thread: 7, CPU: 2, Frequency: 2e9, Alone: 10 * ms}},
		Others:  []energy.Other{{CPU: 1, Time: 20 * ms, Own: 5 * ms}},
		Samples: []energy.Sample{{Thread: 7, At: units.Instant(time.Second + 50*ms), Stack: 3}}}
	tr.Window(&w, map[epochs.TID][]units.Energy{7: {4e8, 1e8}})
	tr.Name(7, 77, 70, "=evil()\n,x")
	tr.Stack(3, []string{"in,ner", "=main\u202e"})
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string][][]string{
		windowsTable: {{"window", "from_s", "duration_s", "package-0_j", "cores-0_j"},
			{"1", "0.000000000", "0.100000000", "0.500000000", "0.100000000"}},
		cpusTable: {TraceTables[cpusTable],
			{"1", "1", "0.030000000", "0.015000000", "0.005000000", "2000000000"},
			{"1", "2", "0.010000000", "0.000000000", "0.000000000", "2000000000"}},
		threadsTable: {TraceTables[threadsTable], {"1", "7", "0.040000000", "0.400000000"}},
		samplesTable: {TraceTables[samplesTable], {"1", "0.050000000", "7", "3"}},
	}
	for name := range TraceTables {
		rows, err := csv.NewReader(files[name]).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(want[name]) == 0 {
			for _, r := range rows[1:] {
				for _, cell := range r {
					if bytes.ContainsAny([]byte(cell), "\n\u202e") || cell[0] == '=' {
						t.Errorf("%s: %q", name, cell)
					}
				}
			}
			continue
		}
		if len(rows) != len(want[name]) {
			t.Errorf("%s: %q", name, rows)
			continue
		}
		for i := range rows {
			for j := range rows[i] {
				if rows[i][j] != want[name][i][j] {
					t.Errorf("%s: %q, want %q", name, rows[i], want[name][i])
				}
			}
		}
	}
	tr = NewTrace([]string{"a", "b"}, []bool{true, true}, 20000, open)
	for range 5000 {
		tr.Window(&w, nil)
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, b := range files {
		size += b.Len()
	}
	if tr.Stopped() == 0 || size > 20000+6*8192 {
		t.Errorf("%d bytes, stopped at %d", size, tr.Stopped())
	}
	// The threads of the windows have their names, but not any number of them.
	tr.Name(7, 77, 70, "worker")
	if threads, _ := tr.Unnamed(); threads > 0 {
		t.Error("a thread of the windows has no name")
	}
	for i := range 100 {
		tr.Stack(energy.StackID(i), slices.Repeat([]string{strings.Repeat("x", 100)}, 500))
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	_, stacks := tr.Unnamed()
	if n := files[stacksTable].Len(); stacks < 90 || n > 3*50600 {
		t.Errorf("%d stacks without names, %d bytes with", stacks, n)
	}
	tr.Name(8, 78, 70, "one too many")
	if threads, _ := tr.Unnamed(); threads != 1 {
		t.Errorf("%d threads without names", threads)
	}
}
