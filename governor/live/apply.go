package live

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// checkPeriod is the interval at which a part of the domains is checked while no clock is
// requested. Each domain is checked about once a second.
const checkPeriod = 125 * time.Millisecond

// Apply implements governor.Machine.
func (h *Host) Apply(a governor.Action) error {
	if a.Kind == governor.Rest {
		h.rest(&a.Rest)
		return nil
	}
	return h.Computer.Apply(a)
}

// Apply sets the machine's clock. With a decision it checks instead, once in checkPeriod, whether
// others have changed the clock.
func (c *Computer) Apply(a governor.Action) error {
	switch {
	case c.actuator.Name() == cpufreq.Shadow:
	case a.Kind == governor.Insist:
		c.actuator.Set(a.By)
		c.applied(c.actuator.Set(a.Frequency))
	case a.Kind == governor.SetFrequency:
		c.applied(c.actuator.Set(a.Frequency))
	case a.Kind == governor.Decided:
		if at := a.Quantum.Start.Add(a.Quantum.Dur); at.Sub(c.checked) >= checkPeriod {
			c.checked = at
			if outcomes, news := c.actuator.Check(); news {
				c.applied(outcomes)
			}
		}
	}
	return nil
}

// StartAt sets the clock at which the first target will start. Call it before the target starts:
// the governor's own first request comes some milliseconds after.
func (c *Computer) StartAt(f units.Frequency) {
	if c.actuator.Name() != cpufreq.Shadow {
		c.base, _ = cpufreq.Summary(c.actuator.Set(f))
	}
}

// applied emits the outcome of a request.
func (c *Computer) applied(outcomes []cpufreq.Outcome) {
	delivered, refusal := cpufreq.Summary(outcomes)
	c.pending = append(c.pending,
		governor.Event{Kind: governor.Applied, At: monotonic.Now(),
			Frequency: delivered, Refusal: refusal})
}
