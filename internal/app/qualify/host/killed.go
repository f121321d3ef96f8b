package host

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/qualify"
)

// Bounds of step 8.
const (
	untilHeld = 10 * time.Second // time until ebb holds the clocks
	untilBack = 5 * time.Second  // time until the guardian has put them back
	lookEvery = 5 * time.Millisecond
)

// killed makes step 8: it kills an ebb that governs, and measures the time until everything is
// back.
func (h *host) killed(ctx context.Context, step *qualify.Step) error {
	if _, err := h.controlled(); err != nil {
		return err
	}
	before := h.controls()
	work, err := h.calibrated(ctx, memoryWork)
	if err != nil {
		return err
	}
	// The program ends by itself if all else fails.
	argv := h.ebb([]string{"--slowdown", allowed[1].String()},
		argv(h.Self, memoryWork, 8*work, 1))
	p, err := begun(ctx, nil, argv...)
	if err != nil {
		return err
	}
	k := &qualify.Killed{Left: []string{}}
	step.Killed = k
	changed := func() bool { return len(differences(before, h.controls())) > 0 }
	h.until(ctx, untilHeld, func() bool { return p.ended() || changed() })
	k.Governing = changed()
	if k.Governing {
		err = h.pause(ctx, h.Plan.Each()/2)
	}
	early := p.ended()
	begin := time.Now()
	// The signal is for ebb alone, not for the program or the guardian.
	err = errors.Join(err, p.Process.Signal(syscall.SIGKILL))
	if h.until(ctx, untilBack, func() bool { return !changed() }) {
		k.BackNS, k.By = int64(time.Since(begin)), "guardian"
	}
	p.ask() // ends the program
	_ = p.wait()
	if k.By == "" {
		_, restoreErr := cpufreq.Restore(h.RunDir, h.fs)
		k.BackNS, k.By = int64(time.Since(begin)), "ebb restore"
		err = errors.Join(err, restoreErr)
	}
	k.Left = differences(before, h.controls())
	if ctx.Err() != nil {
		step.Killed = nil
		return errors.Join(err, ctx.Err())
	}
	if early {
		step.Killed = nil
		return lacks(qualify.Unknown, "ebb had ended before it was killed")
	}
	return err
}

// until checks again and again whether a condition holds, and reports whether it did in time.
func (h *host) until(ctx context.Context, most time.Duration, holds func() bool) bool {
	for begin := time.Now(); time.Since(begin) < most && ctx.Err() == nil; {
		if holds() {
			return true
		}
		time.Sleep(lookEvery)
	}
	return holds()
}
