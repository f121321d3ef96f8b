package run

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/epochs/bpf"
)

const (
	// stallQuanta and stallTime: ebb has stalled if it does nothing for so many decisions, and for
	// at least so long.
	stallQuanta = 10
	stallTime   = 500 * time.Millisecond
)

// guard starts the guardian of the actuator's controls.
func (r *run) guard(h cpufreq.Hold) (cpufreq.Guard, error) {
	g, err := guardian.Start(h, r.settings.ContainerEnd)
	if err != nil {
		return nil, err
	}
	r.guardian = g
	g.Begin()
	return g, nil
}

// watch has the guardian step in from now on when ebb stalls. Until then it does so only where all
// of ebb stands still, as when it is stopped.
func (r *run) watch() error {
	if r.guardian == nil || r.Actuator.Name() == cpufreq.Shadow {
		return nil
	}
	defer r.guardian.Began() // ends the watch over the begin once the other watch stands
	if !r.Tracer.Timed() {
		r.Report.Warnings = append(r.Report.Warnings, bpf.ErrNoTimers.Error()+": nobody notices "+
			"where ebb stalls; the guardian restores the clocks when ebb ends")
		return nil
	}
	s := r.settings
	limit := max(stallQuanta*s.Quantum*time.Duration(max(s.HoldOff, 1)), stallTime)
	r.Tracer.Watch(limit)
	r.end.unwatch = func() { r.Tracer.Watch(0) }
	r.end.rewatch = func() { r.Tracer.Watch(limit) }
	return r.guardian.Watch(r.Tracer.Alarm(), limit)
}
