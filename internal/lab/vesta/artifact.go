package vesta

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// metering is an interval of a data set of ebb train, as its file has it.
type metering struct {
	run       int
	at        time.Time
	program   string
	power     float64 // W
	iteration int     // number of its stretch, by program
	last      bool    // it ends its stretch
}

// dataSet is a data set of ebb train.
type dataSet struct {
	length time.Duration // of an interval
	rows   []metering
}

// firstColumns begin the lines of a data set.
var firstColumns = []string{"timestamp", "time", "program", "power_w"}

// errDataSet says that a table is not a data set of ebb train.
var errDataSet = errors.New("it is no data set of ebb train, whose columns have times, and whose " +
	"first line says how long an interval is")

func readDataSet(text []byte) (*dataSet, error) {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	comment, ok := bytes.CutPrefix(first, []byte("# "))
	var origin struct {
		IntervalNS int64 `json:"interval_ns"`
	}
	if !ok || json.Unmarshal(comment, &origin) != nil || origin.IntervalNS <= 0 {
		return nil, errDataSet
	}
	all, err := csv.NewReader(bytes.NewReader(rest)).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 || len(all[0]) <= len(firstColumns) {
		return nil, errDataSet
	}
	for i, name := range firstColumns {
		if all[0][i] != name {
			return nil, errDataSet
		}
	}
	d := &dataSet{length: time.Duration(origin.IntervalNS)}
	for _, line := range all[1:] {
		at, atErr := strconv.ParseFloat(line[0], 64)
		run, runErr := strconv.Atoi(line[1])
		power, powerErr := strconv.ParseFloat(line[3], 64)
		if err := cmp.Or(atErr, runErr, powerErr); err != nil || math.Abs(at) > 1e11 {
			return nil, fmt.Errorf("interval %d: its time, run or power is no number",
				len(d.rows)+1)
		}
		d.rows = append(d.rows, metering{run: run, at: time.UnixMilli(int64(math.Round(1000 * at))),
			program: line[2], power: power})
	}
	d.number()
	return d, nil
}

// number numbers the stretches of each program. A new one begins with a run, and after intervals
// that were dropped: what the meter counted in these is in no file.
func (d *dataSet) number() {
	before := map[string]*metering{}
	for i := range d.rows {
		r := &d.rows[i]
		if b := before[r.program]; b != nil {
			r.iteration = b.iteration
			if b.last = r.run != b.run || r.at.Sub(b.at) > d.length+d.length/2; b.last {
				r.iteration++
			}
		}
		before[r.program] = r
	}
	for _, r := range before {
		r.last = true
	}
}

// WriteArtifact writes a data set of ebb train as files with the columns of VESTA's scripts
// (https://github.com/vesta-power-model/vesta): for each program NUMBER_PROGRAM/energy.csv and
// summary.csv, and of the first halves of Validate model_train.csv, model_test.csv and model.json,
// an XGBoost model of the one half. probes.csv, a line for every event, is not among them: ebb
// counts events in the kernel.
func WriteArtifact(dir string, text []byte, t *powermodel.Table, seed uint64) error {
	d, err := readDataSet(text)
	if err != nil {
		return err
	}
	if t.Rows() != len(d.rows) {
		return fmt.Errorf("%d intervals with a power of %d", t.Rows(), len(d.rows))
	}
	for k, program := range t.Programs {
		path := filepath.Join(dir, fmt.Sprintf("%d_%s", k, plain(program)))
		if err := safefile.Directory(path); err != nil {
			return err
		}
		if err := errors.Join(save(filepath.Join(path, "energy.csv"), d.energy(program)),
			save(filepath.Join(path, "summary.csv"), d.summary(program))); err != nil {
			return err
		}
	}
	train, test := halves(t, rand.New(rand.NewPCG(seed, 0)))
	learner, err := powermodel.LearnerOf(paperModel)
	if err != nil {
		return err
	}
	m, err := powermodel.Train(part(t, train), learner, powermodel.Provenance{})
	if err != nil {
		return err
	}
	return errors.Join(save(filepath.Join(dir, "model_train.csv"), d.aligned(t, train)),
		save(filepath.Join(dir, "model_test.csv"), d.aligned(t, test)),
		safefile.Whole(filepath.Join(dir, "model.json"), m.ExportXGBoost))
}

func save(path string, lines [][]string) error {
	return safefile.Whole(path, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(lines) })
}

// part returns some rows of a table, in order.
func part(t *powermodel.Table, rows []int) *powermodel.Table {
	out := &powermodel.Table{Inputs: t.Inputs, Programs: t.Programs,
		Columns: make([][]float64, len(t.Columns))}
	for _, r := range rows {
		for k, c := range t.Columns {
			out.Columns[k] = append(out.Columns[k], c[r])
		}
		out.Power, out.Program = append(out.Power, t.Power[r]), append(out.Program, t.Program[r])
	}
	return out
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 8, 64) }

// energy returns what a meter would have shown at the begin of each of a program's intervals, and
// at the end of the last one of a stretch: J since the first.
func (d *dataSet) energy(program string) [][]string {
	out := [][]string{{"iteration", "timestamp", "energy_component_0"}}
	sum := 0.0
	for i := range d.rows {
		r := &d.rows[i]
		if r.program != program {
			continue
		}
		line := func(at time.Time) {
			out = append(out, []string{strconv.Itoa(r.iteration), strconv.FormatInt(at.UnixNano(),
				10), number(sum)})
		}
		line(r.at)
		sum += r.power * d.length.Seconds()
		if r.last {
			line(r.at.Add(d.length))
		}
	}
	return out
}

// summary returns the duration (ns) and the energy (J) of each of a program's stretches.
func (d *dataSet) summary(program string) [][]string {
	out := [][]string{{"iteration", "timestamp", "duration", "energy"}}
	var begin time.Time
	sum, open := 0.0, false
	for i := range d.rows {
		r := &d.rows[i]
		if r.program != program {
			continue
		}
		if !open {
			begin, sum, open = r.at, 0, true
		}
		sum += r.power * d.length.Seconds()
		if r.last {
			out = append(out, []string{strconv.Itoa(r.iteration),
				strconv.FormatInt(begin.UnixNano(), 10),
				strconv.FormatInt(int64(r.at.Add(d.length).Sub(begin)), 10), number(sum)})
			open = false
		}
	}
	return out
}

// aligned returns intervals with the inputs of a table, in the layout of the scripts' aligned.csv.
func (d *dataSet) aligned(t *powermodel.Table, rows []int) [][]string {
	out := [][]string{append([]string{"iteration", "ts", "benchmark", "power"}, t.Inputs...)}
	for _, i := range rows {
		r := &d.rows[i]
		line := []string{strconv.Itoa(r.iteration),
			strconv.FormatInt(r.at.UnixNano()/int64(d.length), 10), r.program, number(r.power)}
		for k := range t.Inputs {
			line = append(line, number(t.Columns[k][i]))
		}
		out = append(out, line)
	}
	return out
}
