package attribution

import (
	"time"

	"github.com/ebb-energy/ebb/governor"
)

// giving is the state of sampling that gives way to the budget.
type giving struct {
	pace     *pace // nil: it does not
	windows  bool  // nobody wants a length of them
	now      paceStep
	furthest int // longest period so far, in first periods
}

func newGiving(c *Config) giving {
	g := giving{now: paceStep{Periods: 1, Windows: 1}, furthest: 1, windows: c.Window <= 0}
	if c.Rate > 0 && c.Budget > 0 {
		g.pace = &pace{budget: c.Budget}
	}
	return g
}

// period is the CPU time from sample to sample as asked for; 0: nothing is sampled.
func (c *Config) period() time.Duration {
	if c.Rate == 0 {
		return 0
	}
	return time.Second / time.Duration(c.Rate)
}

// giveWay has samples taken as often as what ebb costs the program allows, by the governor's own
// account. Windows that a meter or the user wants stay as they are.
func (a *Attributor) giveWay(actions []governor.Action) {
	g := &a.gives
	for i := range actions {
		action := &actions[i]
		if g.pace == nil || action.Kind != governor.Decided {
			continue
		}
		next := g.pace.next(time.Duration(action.Quantum.Max), action.Quantum.Own)
		if !g.windows {
			next.Windows = 1
		}
		if next.Periods != g.now.Periods {
			a.drain()
			period := a.cfg.period() * time.Duration(next.Periods)
			if err := a.cfg.Sampler.Every(period); err != nil {
				a.problems = append(a.problems, err.Error())
				g.pace = nil // it stays as it is
				return
			}
		}
		g.now, g.furthest = next, max(g.furthest, next.Periods)
	}
}
