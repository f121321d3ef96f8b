package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/units"
)

// counters makes step 3.
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
		return &absent{kind(err), fmt.Errorf("the cores' counters: %w; the memory controllers': %w",
			err, memoryErr)}
	}
	step.Counters = c
	return nil
}

// cores checks the cores' counters by counting programs.
func (h *host) cores(ctx context.Context, step *qualify.Step, c *qualify.Counters) error {
	open, set, passed, err := perfevent.Best(hpc.Sets(inventory.Families()), h.cpus.Numbers())
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
	work, err := h.calibrated(ctx, computeWork)
	if err != nil {
		return err
	}
	for _, f := range at {
		h.Say("   counts a program whose instructions are known%s", atClock(f))
		little, err := h.counted(ctx, computeWork, work/4, f)
		if err != nil {
			return err
		}
		much, err := h.counted(ctx, computeWork, work, f)
		if err != nil {
			return err
		}
		// The difference leaves out the work of starting a program.
		much.Known = int64(work-work/4) * instructions
		much.Instructions -= little.Instructions
		much.Cycles -= little.Cycles
		much.RunNS -= little.RunNS
		c.Programs = append(c.Programs, much)
	}
	if work, err = h.calibrated(ctx, memoryWork); err != nil {
		return err
	}
	h.Say("   counts a program that waits for memory")
	waits, err := h.counted(ctx, memoryWork, work, at[len(at)-1])
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

// counted runs a program under the built ebb, at a clock unless it is 0, and returns the sums of
// its table.
func (h *host) counted(ctx context.Context, name string, work uint64, f units.Frequency,
) (out qualify.Counted, err error) {
	file := filepath.Join(h.dir, "counted.csv.gz")
	defer os.Remove(file)
	if err := h.recorded(ctx, file, argv(h.Self, name, work, h.threads(name)),
		f); err != nil {
		return out, err
	}
	out, err = sums(file)
	out.Program, out.Hz = name, int64(f)
	return out, err
}
