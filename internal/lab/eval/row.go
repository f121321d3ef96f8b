package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Row is one number of a figure.
type Row struct {
	Figure   string // "2" to "14", or the name of a figure that the paper does not have
	Workload string // a workload, or Mean, meanMemory, ... over several
	Series   string
	// X is the place on the figure's axis: a frequency in GHz, a budget in percent; NaN for none.
	X     float64
	Value float64 // NaN when there is none
	Unit  string
	Paper float64 // value in the paper's text; NaN when it states none
}

// Names that stand for several workloads.
const (
	Mean        = "mean"
	meanMemory  = "mean memory-intensive"
	meanCompute = "mean compute-intensive"
	maxMemory   = "max memory-intensive"
	Max         = "max"
)

// WriteJSON writes rows as an array with a line for each row. A missing number is null.
func WriteJSON(w io.Writer, rows []Row) error {
	b := []byte("[")
	for i, r := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n  "...)
		for _, f := range []struct {
			name string
			text []byte
		}{
			{`{"figure": `, quoted(r.Figure)}, {`, "workload": `, quoted(r.Workload)},
			{`, "series": `, quoted(r.Series)},
			{`, "x": `, digits(r.X)}, {`, "value": `, digits(r.Value)},
			{`, "unit": `, quoted(r.Unit)}, {`, "paper": `, digits(r.Paper)},
		} {
			b = append(append(b, f.name...), f.text...)
		}
		b = append(b, '}')
	}
	b = append(b, "\n]\n"...)
	if _, err := w.Write(b); err != nil {
		return fmt.Errorf("write the rows: %w", err)
	}
	return nil
}

func quoted(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return b
}

// digits returns v to six significant digits: the last ones of a float can differ between
// architectures.
func digits(v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null")
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 5, 64), 64)
	if v == 0 {
		v = 0 // avoids a minus zero
	}
	return strconv.AppendFloat(nil, v, 'f', -1, 64)
}
