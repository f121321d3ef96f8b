package accuracy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/units"
)

// trace is one epoch table in memory.
type trace struct {
	header  table.Header
	columns []string
	epochs  []epochs.Epoch
	total   epochs.Ticks // sum of the epochs' durations
}

// workload is one program, run at several frequencies.
type workload struct {
	set, name string // set: directory of the tables, below the one given
	at        map[units.Frequency]*trace
}

// read finds the epoch tables in dir and below, and groups them by directory and workload.
func read(dir string) ([]*workload, error) {
	found := map[string]*workload{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".csv.gz") {
			return err
		}
		t, err := readTrace(path)
		if err != nil {
			return err
		}
		set, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		name := t.header.Workload
		if name == "" {
			name, _, _ = strings.Cut(filepath.Base(path), ".")
		}
		key := set + "/" + name
		if found[key] == nil {
			found[key] = &workload{set: set, name: name, at: map[units.Frequency]*trace{}}
		}
		if found[key].at[t.header.Frequency] != nil {
			return fmt.Errorf("%s: a second table of %q at %d MHz", path, name,
				t.header.Frequency/1e6)
		}
		found[key].at[t.header.Frequency] = t
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s: %w: no epoch table (*.csv.gz) in it", dir, os.ErrNotExist)
	}
	var out []*workload
	for _, k := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[k])
	}
	return out, nil
}

func readTrace(path string) (*trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := table.NewReader(f, path)
	if err != nil {
		return nil, err
	}
	t := &trace{header: r.Header(), columns: r.Columns()}
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, r.CheckTotals()
		}
		if err != nil {
			return nil, err
		}
		t.epochs = append(t.epochs, e.Clone())
		t.total += e.Dur
	}
}

// sum adds up a column over all rows; ok is false when there is no such column.
func (t *trace) sum(column string) (sum int64, ok bool) {
	i := slices.Index(t.columns, column)
	if i < 0 {
		return 0, false
	}
	for _, e := range t.epochs {
		for _, r := range e.Rows {
			sum += r.Values[i]
		}
	}
	return sum, true
}

// running returns the running time of all threads together.
func (t *trace) running() (sum epochs.Ticks) {
	for _, e := range t.epochs {
		for _, r := range e.Rows {
			if r.Thread != epochs.NoThread {
				sum += e.Dur
			}
		}
	}
	return sum
}

// sleeps returns the number of times that a thread went to sleep.
func (t *trace) sleeps() (n int) {
	for _, e := range t.epochs {
		for _, x := range e.Ends {
			if x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep {
				n++
			}
		}
	}
	return n
}

// lines returns the number of cache lines that memory moved.
func (t *trace) lines() (n int64) {
	rd, wr := slices.Index(t.columns, hpc.DRAMReads), slices.Index(t.columns, hpc.DRAMWrites)
	if rd < 0 || wr < 0 {
		return 0
	}
	for _, e := range t.epochs {
		if len(e.Rows) > 0 { // the counts are the machine's, repeated in each row
			n += e.Rows[0].Values[rd] + e.Rows[0].Values[wr]
		}
	}
	return n
}
