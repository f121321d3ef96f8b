package powermodel

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxRows bounds the intervals of a table: ten days of seconds.
	maxRows = 1 << 20
	// maxCells bounds the inputs of all intervals: 256 MB of numbers.
	maxCells = 1 << 25
	// maxColumns bounds the columns of a table.
	maxColumns = 1024
	// maxPrograms bounds the programs of a table: each is left out once.
	maxPrograms = 256
	// mostPower bounds a machine's power, in W: twice what servers full of accelerators draw.
	mostPower = 20000
	// maxName bounds a program's name, in bytes.
	maxName = 256
)

// ReadCSV reads a metered table: a line of names, then a line an interval; lines that begin with #
// are comments. The columns power (W) and program have the power and the program that drew it;
// those of the tier are the inputs. A column with a field that is no finite number is an error; a
// constant column is left out.
func ReadCSV(r io.Reader, power, program string, tier Tier) (*Table, error) {
	t, err := readColumns(r, power, program, tier.has)
	if err != nil {
		return nil, err
	}
	t.dropConstants()
	if len(t.Inputs) == 0 {
		return nil, fmt.Errorf("no column is an input of kind %q that changes", tier)
	}
	return t, nil
}

// ReadFor reads a metered table like ReadCSV, with a model's inputs in the model's order. It is an
// error if the table lacks one.
func (m *Model) ReadFor(r io.Reader, power, program string) (*Table, error) {
	place := map[string]int{}
	for i, in := range m.Inputs {
		place[in.Name] = i
	}
	t, err := readColumns(r, power, program, func(name string) bool {
		_, ok := place[name]
		return ok
	})
	if err != nil {
		return nil, err
	}
	out := *t
	out.Inputs, out.Columns = make([]string, len(m.Inputs)), make([][]float64, len(m.Inputs))
	for k, name := range t.Inputs {
		out.Inputs[place[name]], out.Columns[place[name]] = name, t.Columns[k]
	}
	for i, name := range out.Inputs {
		if name == "" {
			return nil, fmt.Errorf("the table has no column %q, an input of the model",
				m.Inputs[i].Name)
		}
	}
	return &out, nil
}

// readColumns reads a table whose inputs are the columns for which take holds.
func readColumns(
	r io.Reader, power, program string, take func(column string) bool,
) (*Table, error) {
	in := csv.NewReader(r)
	in.ReuseRecord, in.Comment = true, '#' // ebb train says in a comment where the table comes from
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read the line of names: %w", err)
	}
	c, err := columnsOf(slices.Clone(head), power, program, take)
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: make([][]float64, len(c.inputs))}
	for _, i := range c.inputs {
		t.Inputs = append(t.Inputs, c.names[i])
	}
	number := map[string]int{}
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = t.add(line, c, number)
		}
		if err != nil {
			return nil, err
		}
	}
	if t.Rows() == 0 {
		return nil, errors.New("the table has no intervals")
	}
	return t, nil
}

// columns holds the places of a table's columns.
type columns struct {
	names          []string
	power, program int
	inputs         []int
}

func columnsOf(
	names []string, power, program string, take func(column string) bool,
) (*columns, error) {
	if len(names) > maxColumns {
		return nil, fmt.Errorf("%d columns: more than %d", len(names), maxColumns)
	}
	c := &columns{names: names, power: slices.Index(names, power),
		program: slices.Index(names, program)}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("two columns are called %q", name)
		}
		if i != c.power && i != c.program && take(name) {
			c.inputs = append(c.inputs, i)
		}
	}
	switch {
	case c.power < 0:
		return nil, fmt.Errorf("no column %q", power)
	case c.program < 0:
		return nil, fmt.Errorf("no column %q", program)
	}
	return c, nil
}

// add adds an interval from a line. Number has the programs' places in t.Programs.
func (t *Table) add(line []string, c *columns, number map[string]int) error {
	interval := t.Rows() + 1
	if interval > maxRows || interval*len(c.inputs) > maxCells {
		return fmt.Errorf("more than %d intervals, or more than %d numbers", maxRows, maxCells)
	}
	name := strings.Clone(line[c.program])
	p, known := number[name]
	if !known {
		if len(t.Programs) == maxPrograms || len(name) > maxName {
			return fmt.Errorf("more than %d programs, or a name of more than %d bytes",
				maxPrograms, maxName)
		}
		p = len(t.Programs)
		number[name], t.Programs = p, append(t.Programs, name)
	}
	w, err := finite(line[c.power])
	if err != nil || w <= 0 {
		return fmt.Errorf("interval %d, column %q: %q is no power", interval, c.names[c.power],
			line[c.power])
	}
	if w > mostPower {
		return fmt.Errorf("interval %d, column %q: %v W is more than a machine draws (%d W): if "+
			"these are milliwatts, divide them by 1000", interval, c.names[c.power], w, mostPower)
	}
	for k, i := range c.inputs {
		x, err := finite(line[i])
		if err != nil {
			return fmt.Errorf("interval %d, column %q: %w", interval, c.names[i], err)
		}
		t.Columns[k] = append(t.Columns[k], x)
	}
	t.Power, t.Program = append(t.Power, w), append(t.Program, p)
	return nil
}

func finite(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return x, nil
}

func (t *Table) dropConstants() {
	var inputs []string
	var columns [][]float64
	for k, c := range t.Columns {
		if len(c) > 0 && slices.Max(c) > slices.Min(c) {
			inputs, columns = append(inputs, t.Inputs[k]), append(columns, c)
		}
	}
	t.Inputs, t.Columns = inputs, columns
}
