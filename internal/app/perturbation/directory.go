package perturbation

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// resultFiles are the names of the files that WriteDirectory writes.
var resultFiles = []string{"calm.html", "program.csv", "overhead.csv", "footprint.csv",
	"temporal.csv", "spatial.csv", "report.json"}

// CheckDirectory makes the directory where there is none. Its error says why the results could not
// be written into it.
func CheckDirectory(dir string) error {
	if err := safefile.Directory(dir); err != nil {
		return err
	}
	for _, name := range resultFiles {
		if err := safefile.Check(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// WriteDirectory writes the results into a directory that exists: calm.html, the numbers of its
// figures as CSV, and report.json, the report of the last observed run at the period that they
// show.
func (s *Search) WriteDirectory(dir string, rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	shown := chosen(rows)
	write := func(name string, of func(io.Writer) error) error {
		if err := safefile.Whole(filepath.Join(dir, name), of); err != nil {
			return fmt.Errorf("write the results: %w", err)
		}
		return nil
	}
	table := func(name string, lines [][]string) error {
		return write(name, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(lines) })
	}
	temporal, spatial := s.shapeLines(shown)
	return errors.Join(
		write("calm.html", func(w io.Writer) error { return s.WriteHTML(w, rows) }),
		table("program.csv", s.programLines(shown)),
		table("overhead.csv", overheadLines(rows)),
		table("footprint.csv", footprintLines(shown)),
		table("temporal.csv", temporal),
		table("spatial.csv", spatial),
		write("report.json", func(w io.Writer) error {
			_, err := w.Write(shown.report)
			return err
		}),
	)
}

// chosen returns the row that figures of one period show: the smallest calm one, or the longest
// where none is calm.
func chosen(rows []Row) *Row {
	for i := range rows {
		if rows[i].Calm {
			return &rows[i]
		}
	}
	return &rows[len(rows)-1]
}
