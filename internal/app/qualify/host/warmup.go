package host

import (
	"context"
	"math"
	"time"

	"github.com/ebb-energy/ebb/cpufreq/settle"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/rapl"
)

// Bounds of the warm-up. It ends when flatReadings readings in a row lie within flatRange.
const (
	flatReadings = 4
	flatRange    = 0.01
)

// warmUp keeps all CPUs busy until the power is flat, so that the first of the steps that follow
// does not measure a cold machine.
func (h *host) warmUp(ctx context.Context, step *qualify.Step, q *qualify.Requests) error {
	if h.meter == nil {
		err := h.noMeter
		if err == nil {
			err = rapl.ErrNone
		}
		miss(step, "a warm-up until the power is flat", err)
		return nil
	}
	h.Say("   warms up until the power is flat")
	stop := make(chan struct{})
	defer close(stop)
	for _, cpu := range h.cpus.CPUs() {
		go func() { _ = settle.Spin(cpu, stop) }() // a CPU that ebb may not use is not busy
	}
	each, begin := h.Plan.Each()/4, time.Now()
	w := &qualify.Warm{}
	var last []float64
	for time.Since(begin) < 4*h.Plan.Each() && !w.Flat {
		watts, err := h.power(ctx, each)
		if err != nil {
			if ctx.Err() == nil {
				miss(step, "a warm-up until the power is flat", err)
				return nil
			}
			return err
		}
		if w.FirstW == 0 {
			w.FirstW = watts
		}
		last = append(last, watts)
		w.LastW, w.TookNS = watts, int64(time.Since(begin))
		w.Flat = flat(last)
	}
	q.Warm = w
	return nil
}

// flat reports whether the last readings lie within the range.
func flat(all []float64) bool {
	if len(all) < flatReadings {
		return false
	}
	low, high := math.Inf(1), 0.0
	for _, x := range all[len(all)-flatReadings:] {
		low, high = min(low, x), max(high, x)
	}
	return high-low <= flatRange*high
}

// power returns the mean power by the machine's own meters over d.
func (h *host) power(ctx context.Context, d time.Duration) (watts float64, err error) {
	if err := h.meter.Begin(); err != nil {
		return 0, err
	}
	begin := time.Now()
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	took := time.Since(begin)
	zones, err := h.meter.End()
	if err != nil || ctx.Err() != nil {
		return 0, firstOf(ctx.Err(), err)
	}
	for _, z := range zones {
		watts += float64(z.Energy.Over(took))
	}
	return watts, nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
