package live

import (
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/monotonic"
)

// checkPeriod is how often a part of the domains is looked at while nothing is asked: each of them
// about once a second.
const checkPeriod = 125 * time.Millisecond

// Apply implements governor.Machine.
func (m *Machine) Apply(a governor.Action) error {
	switch {
	case m.actuator.Name() == cpufreq.Shadow:
	case a.Kind == governor.Insist:
		m.actuator.Set(a.By)
		m.applied(m.actuator.Set(a.Frequency))
	case a.Kind == governor.SetFrequency:
		m.applied(m.actuator.Set(a.Frequency))
	case a.Kind == governor.Decided:
		if at := a.Quantum.Start.Add(a.Quantum.Dur); at.Sub(m.checked) >= checkPeriod {
			m.checked = at
			if outcomes, news := m.actuator.Check(); news {
				m.applied(outcomes)
			}
		}
	}
	return nil
}

// applied hands out what became of a request.
func (m *Machine) applied(outcomes []cpufreq.Outcome) {
	delivered, refusal := cpufreq.Summary(outcomes)
	m.pending = append(m.pending,
		governor.Event{Kind: governor.Applied, At: monotonic.Now(), Frequency: delivered, Refusal: refusal})
}
