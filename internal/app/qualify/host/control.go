package host

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/internal/app/qualify"
	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/units"
)

// hold takes the clocks of all domains. An absent error says why nothing can be set.
func (h *host) hold() (cpufreq.Actuator, error) {
	if err := h.alone(); err != nil {
		return nil, err
	}
	a, err := cpufreq.Start(h.fs, cpufreq.Config{RunDir: h.RunDir, Guard: guardian.Over})
	if err != nil {
		return nil, &absent{kind(err), fmt.Errorf("take control of the clocks: %w", err)}
	}
	if a.Name() == cpufreq.Shadow {
		_, err := a.Close()
		return nil, errors.Join(lacks(qualify.NotSupported, "%s", a.Reason()), err)
	}
	h.states = append([]units.Frequency{}, a.States()...)
	return a, nil
}

// alone refuses to set clocks while another program sets them.
func (h *host) alone() error {
	if h.Takeover || !inventory.KernelsOwn(h.Sysfs) {
		return nil
	}
	// An error means that no processes can be read, and so no rivals.
	if found, _ := cpufreq.FindRivals(cpufreq.RivalPlaces{Proc: h.Proc, Run: "/run",
		Sys: h.fs}); len(found) > 0 {
		return lacks(qualify.Refused, "%w", cpufreq.RefuseRivals(found))
	}
	return nil
}

// letGo puts everything back.
func letGo(a cpufreq.Actuator, err *error) {
	if _, e := a.Close(); e != nil {
		*err = errors.Join(*err, fmt.Errorf("restore the clocks: %w", e))
	}
}

// controlled returns the states that can be set. Steps 5 to 8 need them.
func (h *host) controlled() (states []units.Frequency, err error) {
	if len(h.states) > 0 {
		return h.states, nil
	}
	a, err := h.hold()
	if err != nil {
		return nil, err
	}
	defer letGo(a, &err)
	return h.states, nil
}

// clocks returns about n of the states, from the lowest to the highest.
func clocks(states []units.Frequency, n int) []units.Frequency {
	if len(states) <= n {
		return states
	}
	var out []units.Frequency
	for i := range n {
		out = append(out, states[i*(len(states)-1)/(n-1)])
	}
	return out
}
