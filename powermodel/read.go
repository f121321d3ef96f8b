package powermodel

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

const (
	// maxRows bounds the intervals of a table: ten days of seconds.
	maxRows = 1 << 20
	// maxColumns bounds the columns of a table.
	maxColumns = 1024
	// maxPrograms bounds the programs of a table: each is left out once.
	maxPrograms = 256
	// maxName bounds a program's name, in bytes.
	maxName = 256
)

// ReadCSV reads a metered table: a line of names, then a line an interval. The columns power (W)
// and program say what was drawn and by which program; those of the tier are the inputs. A column
// with a field that is no finite number is an error; one that never changes is left out.
func ReadCSV(r io.Reader, power, program string, tier Tier) (*Table, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("read the line of names: %w", err)
	}
	at, err := columnsOf(head, power, program, tier)
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: make([][]float64, len(at.inputs))}
	for _, i := range at.inputs {
		t.Inputs = append(t.Inputs, head[i])
	}
	number := map[string]int{}
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if t.Rows() == maxRows {
			return nil, fmt.Errorf("more than %d intervals", maxRows)
		}
		name := line[at.program]
		p, known := number[name]
		if !known {
			if len(t.Programs) == maxPrograms || len(name) > maxName {
				return nil, fmt.Errorf("more than %d programs, or a name of more than %d bytes",
					maxPrograms, maxName)
			}
			p = len(t.Programs)
			number[string([]byte(name))] = p
			t.Programs = append(t.Programs, string([]byte(name)))
		}
		w, err := finite(line[at.power])
		if err != nil || w <= 0 {
			return nil, fmt.Errorf("interval %d, column %q: %q is no power", t.Rows()+1,
				power, line[at.power])
		}
		for k, i := range at.inputs {
			x, err := finite(line[i])
			if err != nil {
				return nil, fmt.Errorf("interval %d, column %q: %w", t.Rows()+1, t.Inputs[k],
					err)
			}
			t.Columns[k] = append(t.Columns[k], x)
		}
		t.Power, t.Program = append(t.Power, w), append(t.Program, p)
	}
	t.dropConstants()
	if len(t.Inputs) == 0 {
		return nil, fmt.Errorf("no column is an input of kind %q that changes", tier)
	}
	return t, nil
}

// columns are the places of a table's columns in a line.
type columns struct {
	power, program int
	inputs         []int // those of the tier
}

// columnsOf finds the columns in the line of names.
func columnsOf(head []string, power, program string, tier Tier) (c columns, err error) {
	if len(head) > maxColumns {
		return c, fmt.Errorf("%d columns: more than %d", len(head), maxColumns)
	}
	at := map[string]int{}
	for i, name := range head {
		if _, twice := at[name]; twice {
			return c, fmt.Errorf("two columns are called %q", name)
		}
		at[name] = i
		if name != power && name != program && tier.has(name) {
			c.inputs = append(c.inputs, i)
		}
	}
	var ok bool
	if c.power, ok = at[power]; !ok {
		return c, fmt.Errorf("no column %q", power)
	}
	if c.program, ok = at[program]; !ok {
		return c, fmt.Errorf("no column %q", program)
	}
	return c, nil
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
