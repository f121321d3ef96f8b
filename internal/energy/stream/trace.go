package stream

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// The tables, by the names of their files.
const (
	windowsTable = "windows.csv"
	cpusTable    = "cpus.csv"
	threadsTable = "threads.csv"
	samplesTable = "samples.csv"
	namesTable   = "names.csv"
	stacksTable  = "stacks.csv"
)

// TraceTables has all tables with their columns. The first has a column for each zone behind them.
var TraceTables = map[string][]string{
	windowsTable: {"window", "from_s", "duration_s"},
	cpusTable:    {"window", "cpu", "program_s", "others_s", "ebb_s", "frequency_hz"},
	threadsTable: {"window", "thread", "cpu_s", "energy_j"},
	samplesTable: {"window", "at_s", "thread", "stack"},
	namesTable:   {"thread", "tid", "pid", "name"},
	stacksTable:  {"stack", "frames"},
}

// Trace writes the tables. It is for one goroutine.
type Trace struct {
	tables  map[string]*csv.Writer
	zones   []string
	counted []bool
	begin   units.Instant
	begun   bool
	most    int64 // bound of the bytes of the windows' tables
	left    int64 // bytes left until the bound; below zero for what came after
	window  int
	stopped int // first window that is not in it; 0: all are
	unnamed int // number of stacks whose names are not in it
	lost    int // number of threads whose names are not in it
	err     error
}

// limited writes to a table and counts.
type limited struct {
	w    io.Writer
	left *int64
}

func (l limited) Write(b []byte) (int, error) {
	*l.left -= int64(len(b))
	return l.w.Write(b)
}

// NewTrace begins a trace of zones, of which some are added up to a thread's energy. Without zones
// energies are not known, and empty. Open gives the writer of a table. The tables of windows take
// no more than so many bytes together.
func NewTrace(
	zones []string, counted []bool, most int64, open func(table string) io.Writer,
) *Trace {
	t := &Trace{tables: map[string]*csv.Writer{}, zones: zones, counted: counted, most: most,
		left: most}
	for name, columns := range TraceTables {
		t.tables[name] = csv.NewWriter(limited{open(name), &t.left})
		head := append([]string{}, columns...)
		if name == windowsTable {
			for _, z := range zones {
				head = append(head, printable.Cell(z)+"_j")
			}
		}
		t.row(name, head...)
	}
	return t
}

func (t *Trace) row(table string, fields ...string) {
	if err := t.tables[table].Write(fields); err != nil && t.err == nil {
		t.err = fmt.Errorf("write %s: %w", table, err)
	}
}

func seconds(d time.Duration) string { return joules(units.Energy(d)) }

// joules writes a number of nano units with all its digits.
func joules(nano units.Energy) string {
	return strconv.FormatFloat(float64(nano)/1e9, 'f', 9, 64)
}

// full reports whether there is no room for another window. Writers keep some kB to themselves, so
// the bound is one of what was written, not of what a window needs.
func (t *Trace) full() bool {
	if t.stopped == 0 && t.left <= 0 {
		t.stopped = t.window
	}
	return t.stopped > 0
}

// Window writes a window, and what each thread got of it.
func (t *Trace) Window(w *energy.Window, charged map[epochs.TID][]units.Energy) {
	t.window++
	if !t.begun {
		t.begin, t.begun = w.From, true
	}
	if t.full() {
		return
	}
	n := strconv.Itoa(t.window)
	line := []string{n, seconds(w.From.Sub(t.begin)), seconds(w.Dur())}
	for i := range t.zones {
		line = append(line, joules(max(w.Used[i], 0)))
	}
	t.row(windowsTable, line...)
	t.cpus(n, w)
	t.threads(n, w, charged)
	for _, s := range w.Samples {
		t.row(samplesTable, n, seconds(s.At.Sub(t.begin)), strconv.Itoa(int(s.Thread)),
			strconv.FormatUint(uint64(s.Stack), 10))
	}
}

// cpus writes each CPU that was busy.
func (t *Trace) cpus(n string, w *energy.Window) {
	type sums struct {
		program, others, own time.Duration
		clock                units.Frequency
	}
	by, order := map[energy.CPU]*sums{}, []energy.CPU{}
	of := func(c energy.CPU) *sums {
		if by[c] == nil {
			by[c] = &sums{}
			order = append(order, c)
		}
		return by[c]
	}
	for i := range w.Runs {
		s := of(w.Runs[i].CPU)
		s.program += w.Runs[i].Time()
		s.clock = w.Runs[i].Frequency
	}
	for _, o := range w.Others {
		s := of(o.CPU)
		s.others, s.own = s.others+o.Time-o.Own, s.own+o.Own
	}
	for _, c := range order {
		s := by[c]
		t.row(cpusTable, n, strconv.Itoa(int(c)), seconds(s.program), seconds(s.others),
			seconds(s.own), strconv.FormatInt(int64(s.clock), 10))
	}
}

// threads writes each thread that ran.
func (t *Trace) threads(n string, w *energy.Window, charged map[epochs.TID][]units.Energy) {
	for i := 0; i < len(w.Runs); {
		thread, ran := w.Runs[i].Thread, time.Duration(0)
		for ; i < len(w.Runs) && w.Runs[i].Thread == thread; i++ {
			ran += w.Runs[i].Time()
		}
		var e units.Energy
		for z, amount := range charged[thread] {
			if z < len(t.counted) && t.counted[z] {
				e += amount
			}
		}
		used := "" // not known, without a zone of energy
		if len(t.zones) > 0 {
			used = joules(e)
		}
		t.row(threadsTable, n, strconv.Itoa(int(thread)), seconds(ran), used)
	}
}

// Name writes the kernel's ids and the name of a thread, once it has ended, or at the end.
func (t *Trace) Name(thread epochs.TID, tid, pid int, name string) {
	if t.left <= -t.most {
		t.lost++
		return
	}
	t.row(namesTable, strconv.Itoa(int(thread)), strconv.Itoa(tid), strconv.Itoa(pid),
		printable.Cell(name))
}

// Stack writes the names of a stack's functions, the innermost first.
func (t *Trace) Stack(id energy.StackID, frames []string) {
	if t.left <= -t.most {
		t.unnamed++
		return
	}
	t.row(stacksTable, strconv.FormatUint(uint64(id), 10),
		printable.Cell(strings.Join(frames, ";")))
}

// Unnamed returns the numbers of threads and stacks whose names are not in the trace. Names have as
// much room again as the windows.
func (t *Trace) Unnamed() (threads, stacks int) { return t.lost, t.unnamed }

// Stopped returns the first window that is not in the trace, because it would be larger than its
// bound; 0: all are.
func (t *Trace) Stopped() int { return t.stopped }

// Close writes what is kept back, and returns the first error.
func (t *Trace) Close() error {
	errs := []error{t.err}
	for name, w := range t.tables {
		w.Flush()
		if err := w.Error(); err != nil && t.err == nil {
			errs = append(errs, fmt.Errorf("write %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
