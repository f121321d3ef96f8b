package run

import (
	"context"
	"errors"
	"io"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/internal/safefile"
)

// epochTable writes the target's epochs. Its time begins with the target's.
type epochTable struct {
	part.Passive
	path     string
	rows     *table.Writer
	header   table.Header
	governor *governor.Governor
	err      error // error of the first epoch that could not be written
}

// openTable begins the epoch table, when it is asked for.
func (r *run) openTable(cfg *governor.Config) (err error) {
	path := r.settings.Files.Epochs
	if path == "" {
		return nil
	}
	t := &epochTable{path: path, header: r.tableHeader(), governor: r.Governor}
	if t.rows, err = newTable(path, cfg.Counters); err != nil {
		return command.Usagef("--epochs: %w", err)
	}
	r.Use(part.Filed, t)
	r.Governor.Epochs(t.write)
	return nil
}

// newTable begins a table.
func newTable(path string, counters []string) (*table.Writer, error) {
	if err := safefile.Check(path); err != nil {
		return nil, err
	}
	rows, err := safefile.Scratch(path)
	if err != nil {
		return nil, err
	}
	w, err := table.NewWriter(path, rows, counters)
	if err != nil {
		return nil, errors.Join(err, rows.Close())
	}
	return w, nil
}

// tableHeader returns the first line of the epoch table. In shadow mode the real clock is unknown.
// The program is then taken to have run at the virtual processor's highest frequency, and the
// header says so.
func (r *run) tableHeader() table.Header {
	h := table.Header{
		Workload: r.target.workload(), Frequency: r.Host.Base(), TimeUnit: epochs.Nanosecond,
	}
	if f := r.settings.Frequency; f > 0 {
		h.Frequency = f // one of the machine's states: see meetStates
	}
	if r.Actuator.Name() == cpufreq.Shadow {
		h.SetFrequencySource(table.Assumed)
	}
	return h
}

// write adds an epoch.
func (t *epochTable) write(e *epochs.Epoch) {
	if t.err != nil {
		return
	}
	relative := *e
	relative.Start -= epochs.Ticks(t.governor.Start())
	t.err = t.rows.Write(&relative)
}

func (t *epochTable) Finish(context.Context, *report.Report) error {
	if t.err != nil {
		return t.err
	}
	return t.rows.Close(t.header, func(write func(io.Writer) error) error {
		return safefile.Whole(t.path, write)
	})
}

func (t *epochTable) Close() error {
	t.rows.Discard()
	return nil
}
