package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// static runs the program at one frequency, as far as the machine obeys.
func (r *Runner) static(ctx context.Context, f units.Frequency) (m bench.Measurement, err error) {
	a, err := cpufreq.Start(r.Sysfs, cpufreq.Config{RunDir: r.RunDir, Guard: r.Guard})
	if err != nil {
		return m, fmt.Errorf("take control of the machine's frequencies: %w", err)
	}
	defer func() {
		if _, closeErr := a.Close(); closeErr != nil {
			err = errors.Join(err, putBack(closeErr))
		}
	}()
	if a.Name() == cpufreq.Shadow {
		return m, fmt.Errorf("%w any more: %s", ErrNoControl, a.Reason())
	}
	_, before := cpufreq.Summary(a.Set(f))
	if m, err = r.plain(ctx, f); err != nil {
		return m, err
	}
	// A cap or another program may override the request only after a while.
	_, after := cpufreq.Summary(a.Set(f))
	if m.Trouble = after; after == "" {
		m.Trouble = before
	}
	return m, nil
}

// plain runs the program without ebb. f is the frequency that was asked for, 0 when the kernel
// chooses.
func (r *Runner) plain(ctx context.Context, f units.Frequency) (bench.Measurement, error) {
	if r.Meter != nil {
		if err := r.Meter.Begin(); err != nil {
			return bench.Measurement{}, err
		}
	}
	m, err := r.start(ctx, r.Command, r.As)
	if r.Meter != nil {
		var meterErr error
		m.Source = r.Meter.Source()
		m.Zones, meterErr = r.Meter.End()
		if err == nil { // how the program failed says more
			err = meterErr
		}
		r.withPlatform(&m)
	}
	switch {
	case err != nil || r.Meter != nil:
	case f > 0:
		m.Source = r.Source()
		m.Zones = modelled(&r.Power, m.Wall, m.CPU, f)
	default:
		m.Source = bench.Unknown
	}
	return m, err
}

// modelled returns the energy of a run at one frequency by the model.
func modelled(p *power.Model, wall, cpu time.Duration, f units.Frequency) []bench.Zone {
	b := p.Energy(power.Work{Dur: wall, CoreBusy: cpu, Base: f, F: f})
	zones := []bench.Zone{
		{Name: bench.Processor, Energy: b.CPUStatic.Plus(b.CPUDynamic)},
		{Name: bench.Memory, Energy: b.DRAMStatic.Plus(b.DRAMDynamic)},
	}
	if p.Platform > 0 {
		zones = append(zones, bench.Zone{Name: bench.Platform, Energy: b.Platform})
	}
	return zones
}
