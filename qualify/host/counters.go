package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/table"
	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/hpc/uncore"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/qualify"
	"github.com/ebb-energy/ebb/qualify/programs"
	"github.com/ebb-energy/ebb/units"
)

// counters is step 3.
func (h *host) counters(ctx context.Context, step *qualify.Step) error {
	c := &qualify.Counters{Programs: []qualify.Counted{}, Counted: []string{}}
	err := h.cores(ctx, step, c)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		miss(step, "the cores' counters", err)
	}
	memoryErr := h.controllers(ctx, c)
	if memoryErr != nil {
		if ctx.Err() != nil {
			return memoryErr
		}
		miss(step, "the memory controllers' counters", memoryErr)
	}
	if err != nil && memoryErr != nil {
		step.Missing = []qualify.Missing{}
		return &absent{kind(err), fmt.Errorf("the cores': %w; the memory controllers': %w", err,
			memoryErr)}
	}
	step.Counters = c
	return nil
}

// cores counts programs by the cores' counters.
func (h *host) cores(ctx context.Context, step *qualify.Step, c *qualify.Counters) error {
	open, set, passed, err := perfevent.Best(hpc.Sets(inventory.Families()), []int{0})
	if err != nil {
		return err
	}
	if err := open.Close(); err != nil {
		return err
	}
	c.Counted = set.Counters
	if !slices.Contains(set.Counters, hpc.StallLo) && len(passed) > 0 {
		miss(step, "counters of memory stalls", passed[0])
	}
	at := []units.Frequency{0}
	if states, err := h.controlled(); err == nil {
		at = []units.Frequency{states[0], states[len(states)-1]}
	} else {
		miss(step, "a clock that is known", err)
	}
	work, err := h.calibrated(ctx, programs.Compute)
	if err != nil {
		return err
	}
	for _, f := range at {
		h.Say("   counts a program whose instructions are known%s", atClock(f))
		little, err := h.counted(ctx, programs.Compute, work/4, f)
		if err != nil {
			return err
		}
		much, err := h.counted(ctx, programs.Compute, work, f)
		if err != nil {
			return err
		}
		// The difference has nothing of what starting a program takes.
		much.Known = int64(work-work/4) * programs.Instructions
		much.Instructions -= little.Instructions
		much.Cycles -= little.Cycles
		much.RunNS -= little.RunNS
		c.Programs = append(c.Programs, much)
	}
	if work, err = h.calibrated(ctx, programs.Memory); err != nil {
		return err
	}
	h.Say("   counts a program that waits for memory")
	waits, err := h.counted(ctx, programs.Memory, work, at[len(at)-1])
	if err != nil {
		return err
	}
	c.Programs = append(c.Programs, waits)
	return nil
}

func atClock(f units.Frequency) string {
	if f == 0 {
		return ""
	}
	return " at " + f.String()
}

// counted runs a program under the built ebb, at a clock unless it is 0, and adds up its table.
func (h *host) counted(ctx context.Context, name string, work uint64, f units.Frequency,
) (out qualify.Counted, err error) {
	file := filepath.Join(h.dir, "counted.csv.gz")
	defer os.Remove(file)
	if err := h.recorded(ctx, file, programs.Argv(h.Self, name, work, h.threads(name)),
		f); err != nil {
		return out, err
	}
	out, err = sums(file)
	out.Program, out.Hz = name, int64(f)
	return out, err
}

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

// sums adds up a table that the built ebb wrote.
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

// total is the run's time in a table, in ns.
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

// controllers compares the memory controllers' counts with a known stream.
func (h *host) controllers(ctx context.Context, c *qualify.Counters) (err error) {
	m, err := uncore.Open(h.fs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	h.Say("   counts a known stream of memory")
	work, err := h.calibrated(ctx, programs.Stream)
	if err != nil {
		return err
	}
	type count struct {
		lines uint64
		took  time.Duration
	}
	during := func(do func() error) (count, error) {
		before, err := m.Read()
		if err != nil {
			return count{}, err
		}
		begin := time.Now()
		if err := do(); err != nil {
			return count{}, err
		}
		after, err := m.Read()
		return count{after.Read - before.Read, time.Since(begin)}, err
	}
	rest, err := during(func() error { return h.pause(ctx, h.Plan.Each()) })
	if err != nil {
		return err
	}
	run := func(work uint64) (count, error) {
		return during(func() error {
			_, err := h.start(ctx, programs.Argv(h.Self, programs.Stream, work, 1)...)
			return err
		})
	}
	little, err := run(work / 4)
	if err != nil {
		return err
	}
	much, err := run(work)
	if err != nil {
		return err
	}
	background := float64(rest.lines) / rest.took.Seconds()
	others := background * (much.took - little.took).Seconds()
	const linesOfMiB = 1 << 20 / 64
	c.Memory = &qualify.Streamed{Source: strings.TrimSpace(m.String()), Background: background,
		Known: int64(work-work/4) * linesOfMiB,
		Read:  int64(float64(much.lines) - float64(little.lines) - others)}
	return nil
}

// pause waits for d.
func (h *host) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
