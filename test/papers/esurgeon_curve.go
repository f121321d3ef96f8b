package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/internal/energy/stream"
	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// interval is the time between two points of a curve: ten of a step, as far as a run can.
func interval(step time.Duration) string { return max(step/10, 100*time.Millisecond).String() }

// curve runs a command under ebb and draws its power.
func (s *suite) curve(ctx context.Context, name string, argv []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit())
	defer cancel()
	path := filepath.Join(s.out, name+".jsonl")
	c := exec.CommandContext(ctx, s.ebb, append([]string{"run", "--shadow", "--quiet",
		"--as-if", "table2", "--interval", interval(s.step), "--stream", path, "--"}, argv...)...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	if text, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %.300s", err, text)
	}
	return s.draw(name, path)
}

// point is a moment of a curve.
type point struct {
	at               float64 // s
	machine, program float64 // W
	cpus             float64 // number of CPUs that the program kept busy
}

// draw writes a stream's curves: NAME.csv and NAME.svg. Normalised values are shares of the
// highest.
func (s *suite) draw(name, path string) (string, error) {
	points, source, err := points(path)
	if err != nil {
		return "", err
	}
	var top point
	for _, p := range points {
		top.machine, top.program = max(top.machine, p.machine), max(top.program, p.program)
		top.cpus = max(top.cpus, p.cpus)
	}
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	rows := [][]string{{"at_s", "machine_w", "program_w", "cpus", "machine_normalised",
		"program_normalised", "cpus_normalised", "source"}}
	lines := []chart.Line{{Name: "machine's power"}, {Name: "program's power"},
		{Name: "CPUs kept busy"}}
	for _, p := range points {
		row := []string{number(p.at)}
		for _, v := range []float64{p.machine, p.program, p.cpus} {
			row = append(row, number(v))
		}
		for i, v := range []float64{part(p.machine, top.machine),
			part(p.program, top.program), part(p.cpus, top.cpus)} {
			row = append(row, number(v))
			lines[i].X, lines[i].Y = append(lines[i].X, p.at), append(lines[i].Y, v)
			lines[i].Step = true
		}
		rows = append(rows, append(row, source))
	}
	if err := w.WriteAll(rows); err != nil {
		return "", err
	}
	picture := chart.Lines{Title: name + ", normalised (" + source + ")",
		X: chart.Axis{Label: "time", Unit: "s"}, Y: chart.Axis{Label: "of the highest", Zero: true},
		Lines: lines}
	base := filepath.Join(s.out, name)
	err = errors.Join(whole(base+".csv", text.String()),
		whole(base+".svg", chart.Document(picture)))
	said := fmt.Sprintf("%d points, at most %.1f W of the program's and %.2f CPUs; %s", len(points),
		top.program, top.cpus, source)
	if source != "measured" {
		said += ", so the curve claims nothing"
	}
	return said + "; " + base + ".csv and .svg", err
}

// whole writes a file.
func whole(path, text string) error {
	return safefile.Whole(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// part is a share of the highest value; 0 where that is 0.
func part(v, highest float64) float64 {
	if highest <= 0 {
		return 0
	}
	return v / highest
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// points are the moments of a stream.
func points(path string) (all []point, source string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var before stream.Line
	for line := range bytes.Lines(text) {
		l, err := stream.Decode(line)
		if err != nil {
			return nil, "", err
		}
		if took := l.AtNS - before.AtNS; took > 0 {
			all = append(all, point{at: float64(before.AtNS) / 1e9, machine: l.Watts,
				program: float64(l.TargetNJ-before.TargetNJ) / float64(took),
				cpus:    float64(busy(l)-busy(&before)) / float64(took)})
		}
		before, source = *l, l.Source
	}
	if len(all) == 0 {
		return nil, "", fmt.Errorf("%s: no points", path)
	}
	return all, source, nil
}

// busy is the CPU time of all processes.
func busy(l *stream.Line) (ns int64) {
	for _, p := range l.Processes {
		ns += p.CPUNS
	}
	return ns
}
