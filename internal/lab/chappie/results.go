package chappie

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ebb-energy/ebb/internal/app/perturbation"
)

// result has the files of ebb calm -o for one program.
type result struct {
	name      string
	program   line
	overhead  []line // lines by period, the shortest first
	footprint []line // lines by kind, the most energy first
}

// line is a line of a CSV file, by column.
type line map[string]string

// num returns a number of the line, NaN where it has none.
func (l line) num(column string) float64 {
	v, err := strconv.ParseFloat(l[column], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func (l line) int(column string) int {
	v, err := strconv.Atoi(l[column])
	if err != nil {
		return 0
	}
	return v
}

// maxLines bounds the lines that are read of a file.
const maxLines = 1 << 20

// readResult reads the files of a program's directory.
func readResult(dir, name string) (r result, err error) {
	r.name = name
	program, err := readTable(filepath.Join(dir, name, "program.csv"))
	if err != nil {
		return r, err
	}
	if len(program) != 1 {
		return r, fmt.Errorf("%s: program.csv has %d lines, not one", name, len(program))
	}
	r.program = program[0]
	if r.overhead, err = readTable(filepath.Join(dir, name, "overhead.csv")); err != nil {
		return r, err
	}
	if len(r.overhead) == 0 {
		return r, fmt.Errorf("%s: overhead.csv has no periods", name)
	}
	r.footprint, err = readTable(filepath.Join(dir, name, "footprint.csv"))
	return r, err
}

func readTable(path string) ([]line, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := parseTable(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return lines, nil
}

// parseTable reads lines of CSV below a line of column names.
func parseTable(r io.Reader) (lines []line, err error) {
	in := csv.NewReader(r)
	head, err := in.Read()
	if err != nil {
		return nil, err
	}
	for len(lines) < maxLines {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		l := line{}
		for i, h := range head {
			l[h] = cells[i]
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// chosen returns the line of the program's footprint's period: the smallest calm one, or the
// longest.
func (r *result) chosen() line {
	for _, l := range r.overhead {
		if l["verdict"] == "calm" {
			return l
		}
	}
	return r.overhead[len(r.overhead)-1]
}

// time returns the column with the difference of time that is judged: without waiting for CPUs that
// others had, where that is known.
func (l line) time() string {
	if l["undelayed"] != "" {
		return "undelayed"
	}
	return "time"
}

// criteria returns the verdicts on the three criteria at a period: pass, fail, open, or not known.
func criteria(l line) (time, temporal, spatial string) {
	lo, hi := l.num(l.time()+"_low_95"), l.num(l.time()+"_high_95")
	time = verdict(perturbation.TimePasses(lo, hi), perturbation.TimeFails(lo, hi),
		!math.IsNaN(lo) && !math.IsNaN(hi))
	of := func(name string) string {
		c := perturbation.Correlation{R: l.num(name), SE: l.num(name + "_se")}
		c.Known = !math.IsNaN(c.R) && !math.IsNaN(c.SE)
		return verdict(c.Pass(), c.Fail(), c.Known)
	}
	return time, of("temporal"), of("spatial")
}

func verdict(pass, fail, known bool) string {
	switch {
	case !known:
		return "not known"
	case pass:
		return "pass"
	case fail:
		return "fail"
	}
	return "open"
}
