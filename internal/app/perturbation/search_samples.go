package perturbation

import (
	"bufio"
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/internal/safefile"
)

// samplesFile is the file of all runs' frequencies, a line for each epoch and core.
type samplesFile struct {
	file *safefile.File
	w    *bufio.Writer
}

// newSamples begins the file; nil for none.
func newSamples(f *safefile.File) *samplesFile {
	if f == nil {
		return nil
	}
	s := &samplesFile{f, bufio.NewWriter(f)}
	fmt.Fprintln(s.w, "period_ms,run,kind,wall_ns,epoch,cpu,freq_hz")
	return s
}

// write adds a run, except the first, which is discarded.
func (s *samplesFile) write(
	periodMS, run int, kind string, wall time.Duration, cores []core, epochs [][]float64,
) {
	if s == nil || run == 0 {
		return
	}
	for e, epoch := range epochs {
		for i, hz := range epoch {
			fmt.Fprintf(s.w, "%d,%d,%s,%d,%d,%d,%.0f\n", periodMS, run, kind, wall.Nanoseconds(), e,
				cores[i].cpu, hz)
		}
	}
}

func (s *samplesFile) close() error {
	if s == nil {
		return nil
	}
	err := s.w.Flush()
	if err == nil {
		err = s.file.Publish()
	}
	return errors.Join(err, s.file.Close())
}
