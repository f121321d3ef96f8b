package live

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
)

// checkPeriod is the interval at which a part of the domains is checked while nothing is asked:
// each of them about once a second.
const checkPeriod = 125 * time.Millisecond

// Apply implements governor.Machine.
func (h *Host) Apply(a governor.Action) error {
	switch {
	case a.Kind == governor.Rest:
		h.rest(&a.Rest)
	case h.actuator.Name() == cpufreq.Shadow:
	case a.Kind == governor.Insist:
		h.actuator.Set(a.By)
		h.applied(h.actuator.Set(a.Frequency))
	case a.Kind == governor.SetFrequency:
		h.applied(h.actuator.Set(a.Frequency))
	case a.Kind == governor.Decided:
		if at := a.Quantum.Start.Add(a.Quantum.Dur); at.Sub(h.checked) >= checkPeriod {
			h.checked = at
			if outcomes, news := h.actuator.Check(); news {
				h.applied(outcomes)
			}
		}
	}
	return nil
}

// applied emits the outcome of a request.
func (h *Host) applied(outcomes []cpufreq.Outcome) {
	delivered, refusal := cpufreq.Summary(outcomes)
	h.pending = append(h.pending,
		governor.Event{Kind: governor.Applied, At: monotonic.Now(),
			Frequency: delivered, Refusal: refusal})
}
