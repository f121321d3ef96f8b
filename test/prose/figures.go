package prose

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// figure is a measured value and its unit, as its file has it.
type figure struct {
	Value float64
	Unit  string
}

// figures are figures by key: the kind of file, a blank, and the names that Accuracy, Bench, Safari
// and Eval say, separated by commas.
type figures map[string]figure

// accuracy adds what make accuracy prints, tables of errors in percent: by the table's heading, the
// model and the column ("1 to 4 GHz, wake, mean").
func (f figures) accuracy(r io.Reader) error {
	var heading string
	var head []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		before, isHeading := strings.CutSuffix(line, ", error in %")
		switch {
		case isHeading:
			heading, head = strings.TrimPrefix(before, "ordinary: "), nil
		case line == "":
			heading = ""
		case heading == "":
		case head == nil:
			head = strings.Fields(strings.Replace(line, "mean abs", "mean", 1))
		default:
			name, rest, _ := strings.Cut(line, "  ")
			for i, cell := range strings.Fields(rest) {
				if cell == "-" {
					continue // the tables lack what the model needs
				}
				v, err := strconv.ParseFloat(cell, 64)
				if err != nil || i >= len(head) {
					return fmt.Errorf("the errors of %s: %q in column %d of %v", name, cell, i+1,
						head)
				}
				f[fmt.Sprintf("accuracy %s, %s, %s", heading, name, head[i])] = figure{v, "%"}
			}
		}
	}
	return lines.Err()
}

// bench adds what make bench prints, Go's benchmark format: by the benchmark's name and the unit
// ("OwnUseJava, own-MiB").
func (f figures) bench(r io.Reader) error {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(words[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i] // the number of CPUs
		}
		for i := 2; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return fmt.Errorf("benchmark %s: %w", name, err)
			}
			f[fmt.Sprintf("bench %s, %s", name, words[i+1])] = figure{v, words[i+1]}
		}
	}
	return lines.Err()
}

// eval adds the rows of an evaluation: by figure, workload, series and x ("2, mean, wake from 1GHz,
// 4").
func (f figures) eval(r io.Reader) error {
	var rows []struct {
		Figure, Workload, Series, Unit string
		X, Value                       float64
	}
	if err := json.NewDecoder(r).Decode(&rows); err != nil {
		return fmt.Errorf("read the evaluation: %w", err)
	}
	for _, row := range rows {
		f[fmt.Sprintf("eval %s, %s, %s, %v", row.Figure, row.Workload, row.Series, row.X)] = figure{
			row.Value, row.Unit}
	}
	return nil
}
