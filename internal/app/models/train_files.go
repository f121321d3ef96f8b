package models

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/power/train"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// dataFile and alignedFile return the names of the files beside a model.
func dataFile(model string) string { return strings.TrimSuffix(model, ".ebbmodel") + ".csv" }

func alignedFile(model string) string {
	return strings.TrimSuffix(model, ".ebbmodel") + ".aligned.csv"
}

// checkFiles refuses names that nothing can be written to, or that something else is read from. The
// data set that --from names may be the one that is written.
func (s *trainSettings) checkFiles() error {
	for _, f := range []struct {
		path, begin string
		read        []string
	}{
		{s.out, "", []string{s.from, s.plan, s.meter.Wall}},
		{dataFile(s.out), train.DataBegin, []string{s.plan, s.meter.Wall}},
		{alignedFile(s.out), train.AlignedBegin, []string{s.from, s.plan, s.meter.Wall}},
	} {
		if err := safefile.Check(f.path); err != nil {
			return command.Usagef("-o: %w", err)
		}
		if err := command.NotItself(f.path, f.read...); err != nil {
			return err
		}
		if !begins(f.path, f.begin) {
			return command.Usagef("-o %s: ebb train would write %s, which exists and is not "+
				"its own", s.out, f.path)
		}
	}
	if s.html != "" {
		if err := safefile.Check(s.html); err != nil {
			return command.Usagef("--html: %w", err)
		}
		if err := command.NotItself(s.html, s.from, s.plan, s.meter.Wall, s.out); err != nil {
			return err
		}
	}
	return s.keepData()
}

// keepData refuses to write over another data set than the one that --from read.
func (s *trainSettings) keepData() error {
	data, err := os.Stat(dataFile(s.out))
	if err != nil || data.Size() == 0 {
		return nil // safefile.Check has checked it
	}
	if from, err := os.Stat(s.from); s.from != "" && err == nil && os.SameFile(from, data) {
		return nil
	}
	return command.Usagef("%s is a data set already: --add adds to it, --from makes its model "+
		"again, and another -o begins a new one", dataFile(s.out))
}

// begins reports whether a file begins with the text begin, is empty, or cannot be read.
func begins(path, begin string) bool {
	f, err := safefile.Open(path)
	if err != nil {
		return true
	}
	defer f.Close() // opened for reading: nothing can be lost
	found := make([]byte, len(begin))
	n, _ := io.ReadFull(f, found)
	return n == 0 || string(found[:n]) == begin
}

// keep saves the data set.
func (s *trainSettings) keep(d *train.Data) error {
	return errors.Join(safefile.Whole(dataFile(s.out), d.Write),
		safefile.Whole(alignedFile(s.out), d.WriteAligned))
}

func openLog(path string) (io.ReadCloser, error) { return safefile.Open(path) }

func readData(path string) (*train.Data, error) {
	return safefile.ReadUnpacked(path, maxTable, train.Read)
}
