package main

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

// guard starts the guardian over what the session holds.
func (n *session) guard(h cpufreq.Hold) (cpufreq.Guard, error) {
	g, err := guardian.Start(h)
	if err != nil {
		return nil, err
	}
	n.guardian = g
	return g, nil
}

// watch has the guardian step in from now on when ebb stalls.
func (n *session) watch() error {
	if n.guardian == nil || n.actuator.Name() == cpufreq.Shadow {
		return nil
	}
	c := &n.settings.config
	limit := max(stallQuanta*c.Quantum*time.Duration(max(c.HoldOff, 1)), stallTime)
	n.tracer.Watch(limit)
	return n.guardian.Watch(n.tracer.Alarm(), limit)
}

// guarded adds what the guardian did and used to the report. It has ended by then.
func (n *session) guarded() {
	if n.guardian == nil {
		return
	}
	r := &n.report
	if from, to, ok := n.guardian.Stall(); ok {
		r.StalledNS = int64(to.Sub(from))
	}
	r.Warnings = append(r.Warnings, n.guardian.Notes()...)
	used := n.guardian.Cost()
	r.OwnCPUNS += int64(used.CPU)
	r.OwnRSSBytes += used.PeakRSS
}
