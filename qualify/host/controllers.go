package host

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/hpc/uncore"
	"github.com/ebb-energy/ebb/qualify"
	"github.com/ebb-energy/ebb/qualify/programs"
)

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
