package host

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/units"
)

// recorded has the built ebb write the epoch table of a program's run, at a clock unless it is 0.
func (h *host) recorded(ctx context.Context, file string, program []string, f units.Frequency,
) error {
	flags := []string{"--epochs", file}
	argv := h.ebb(append(flags, "--frequency", f.String()), program)
	if f == 0 {
		argv = append([]string{h.Self, "record", "--sysfs", h.Sysfs, "--run-dir", h.RunDir,
			"--quiet", "--user", "root"}, append(append(flags, "--"), program...)...)
	}
	_, err := h.start(ctx, argv...)
	return err
}

// sums returns the sums of a table that the built ebb wrote.
func sums(file string) (out qualify.Counted, err error) {
	f, err := os.Open(file)
	if err != nil {
		return out, err
	}
	defer f.Close()
	r, err := table.NewReader(f, file)
	if err != nil {
		return out, err
	}
	columns := r.Columns()
	at := func(name string) int { return slices.Index(columns, name) }
	cycles, instructions, low, high := at(hpc.Cycles), at(hpc.Instructions), at(hpc.StallLo),
		at(hpc.OccHi)
	add := func(row *epochs.Row, column int) int64 {
		if column < 0 {
			return 0
		}
		return row.Values[column]
	}
	stalled := int64(0)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, err
		}
		for i := range e.Rows {
			row := &e.Rows[i]
			if row.Thread == epochs.NoThread {
				continue
			}
			out.RunNS += int64(e.Dur)
			out.Cycles += add(row, cycles)
			out.Instructions += add(row, instructions)
			stalled += add(row, low)
		}
	}
	if (low >= 0 || high >= 0) && out.Cycles > 0 {
		share := float64(stalled) / float64(out.Cycles)
		out.Stalled = &share
	}
	return out, r.CheckTotals()
}

// total returns the run's time in a table, in ns.
func total(file string) (ns int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := table.NewReader(f, file)
	if err != nil {
		return 0, err
	}
	return int64(r.Header().Total), nil
}
