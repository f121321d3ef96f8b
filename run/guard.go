package run

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/guardian"
)

const (
	// stallQuanta is for how many decisions ebb may do nothing before it has stalled, and stallTime
	// for how long at least.
	stallQuanta = 10
	stallTime   = 500 * time.Millisecond
)

// guard starts the guardian over what the actuator holds.
func (r *Run) guard(h cpufreq.Hold) (cpufreq.Guard, error) {
	g, err := guardian.Start(h)
	if err != nil {
		return nil, err
	}
	r.guardian = g
	return g, nil
}

// watch has the guardian step in from now on when ebb stalls.
func (r *Run) watch() error {
	if r.guardian == nil || r.actuator.Name() == cpufreq.Shadow {
		return nil
	}
	s := r.settings
	limit := max(stallQuanta*s.Quantum*time.Duration(max(s.HoldOff, 1)), stallTime)
	r.tracer.Watch(limit)
	r.end.unwatch = func() { r.tracer.Watch(0) }
	return r.guardian.Watch(r.tracer.Alarm(), limit)
}
