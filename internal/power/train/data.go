package train

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/power/activity"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Interval is a stretch of one program's run.
type Interval struct {
	Program string
	Run     int       // number of the program's run, from 0
	At      time.Time // its begin, by the wall clock, as in a wall meter's log
	Power   float64   // W; NaN until a wall meter's log was read
	Inputs  []float64 // in the order of Data.Inputs
}

// Origin says where a data set comes from.
type Origin struct {
	powermodel.Provenance
	IntervalNS int64 `json:"interval_ns"`
}

// Data holds a data set: the intervals of all programs.
type Data struct {
	Origin    Origin
	Inputs    []string
	Intervals []Interval

	doubts []string // what Model left out, in sentences for Doubts
}

// Names of the columns before the inputs.
const (
	columnTime    = "timestamp"
	columnRun     = "time" // the run's number: like a time, it is no input
	columnProgram = "program"
	columnPower   = "power_w"
)

var firstColumns = []string{columnTime, columnRun, columnProgram, columnPower}

// The beginnings of the files that Write and WriteAligned write.
const (
	DataBegin    = "# {"
	AlignedBegin = "iteration,ts,"
)

// Write writes the data set. Intervals without a power have an empty field.
func (d *Data) Write(w io.Writer) error {
	origin, err := json.Marshal(d.Origin)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "# %s\n", origin); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	line := append(slices.Clone(firstColumns), d.Inputs...)
	_ = out.Write(line) // Flush and Error have what fails
	for i := range d.Intervals {
		v := &d.Intervals[i]
		power := ""
		if !math.IsNaN(v.Power) {
			power = number(v.Power)
		}
		line = append(line[:0], strconv.FormatFloat(seconds(v.At), 'f', 3, 64),
			strconv.Itoa(v.Run), v.Program, power)
		for _, x := range v.Inputs {
			line = append(line, number(x))
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// WriteAligned writes the intervals in the layout of VESTA's aligned.csv (scripts/alignment.py of
// its artifact): iteration, bucket of time, benchmark, power, then the inputs in the place of the
// probes.
func (d *Data) WriteAligned(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(append([]string{"iteration", "ts", "benchmark", "power"}, d.Inputs...))
	bucket := max(d.Origin.IntervalNS, 1)
	for i := range d.Intervals {
		v := &d.Intervals[i]
		if math.IsNaN(v.Power) {
			continue // the artifact drops them, too
		}
		line := []string{strconv.Itoa(v.Run), strconv.FormatInt(v.At.UnixNano()/bucket, 10),
			v.Program, number(v.Power)}
		for _, x := range v.Inputs {
			line = append(line, number(x))
		}
		_ = out.Write(line)
	}
	out.Flush()
	return out.Error()
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// Bounds of a data set.
const (
	maxIntervals = 1 << 20
	maxColumns   = 1024
	maxData      = 1 << 29 // bytes
)

// errTooLong says that a data set is longer than any that ebb train writes.
var errTooLong = errors.New("the data set is too long")

// Read reads what Write wrote.
func Read(r io.Reader) (*Data, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxData+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxData {
		return nil, fmt.Errorf("%w: more than %d bytes", errTooLong, maxData)
	}
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	origin, ok := bytes.CutPrefix(first, []byte("# "))
	d := &Data{}
	if !ok || json.Unmarshal(origin, &d.Origin) != nil || d.Origin.IntervalNS <= 0 {
		return nil, errors.New("not a data set of ebb train: its first line does not say where " +
			"it comes from")
	}
	in := csv.NewReader(bytes.NewReader(rest))
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("read the line of names: %w", err)
	}
	if len(head) > maxColumns || len(head) <= len(firstColumns) ||
		!slices.Equal(head[:len(firstColumns)], firstColumns) {
		return nil, fmt.Errorf("its columns are not %s and inputs",
			strings.Join(firstColumns, ", "))
	}
	d.Inputs = slices.Clone(head[len(firstColumns):])
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		v, err := interval(line)
		if err == nil && len(d.Intervals) >= maxIntervals {
			err = fmt.Errorf("more than %d", maxIntervals)
		}
		if err != nil {
			return nil, fmt.Errorf("interval %d: %w", len(d.Intervals)+1, err)
		}
		d.Intervals = append(d.Intervals, v)
	}
}

func interval(line []string) (v Interval, err error) {
	at, err := finite(line[0])
	if err != nil || math.Abs(at) > 1e11 {
		return v, fmt.Errorf("%q is no time", line[0])
	}
	v.At = time.UnixMilli(int64(math.Round(at * 1000)))
	if v.Run, err = strconv.Atoi(line[1]); err != nil {
		return v, fmt.Errorf("%q is no run's number", line[1])
	}
	v.Program, v.Power = strings.Clone(line[2]), math.NaN()
	if line[3] != "" {
		if v.Power, err = finite(line[3]); err != nil || v.Power <= 0 {
			return v, fmt.Errorf("%q is no power", line[3])
		}
	}
	for _, field := range line[4:] {
		x, err := finite(field)
		if err != nil {
			return v, err
		}
		v.Inputs = append(v.Inputs, x)
	}
	return v, nil
}

func finite(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return x, nil
}

// programs returns the names of the programs, in the order of their first intervals.
func (d *Data) programs() (names []string) {
	for i := range d.Intervals {
		if p := d.Intervals[i].Program; !slices.Contains(names, p) {
			names = append(names, p)
		}
	}
	return names
}

// unmetered returns the number of intervals without a power.
func (d *Data) unmetered() (n int) {
	for i := range d.Intervals {
		if math.IsNaN(d.Intervals[i].Power) {
			n++
		}
	}
	return n
}

// add adds intervals that have these inputs. It refuses inputs other than the data set's.
func (d *Data) add(inputs []string, more []Interval) error {
	if d.Inputs == nil {
		d.Inputs = inputs
	}
	if !slices.Equal(d.Inputs, inputs) {
		return errors.New("the data set has other inputs than this machine")
	}
	d.Intervals = append(d.Intervals, more...)
	return nil
}

// inputsOf returns a window's inputs in the order of names.
func inputsOf(in activity.Inputs, names []string) []float64 {
	out := make([]float64, len(names))
	for i, name := range names {
		out[i] = in[name]
	}
	return out
}
