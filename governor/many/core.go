package many

import (
	"fmt"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// core is a tenant's governor, with its state that the others depend on.
type core struct {
	number    arbiter.Tenant
	cfg       governor.Config
	g         *governor.Governor
	failed    error             // the failure after which g is not asked any more
	present   bool              // the tenant has begun and not ended
	over      bool              // the tenant has ended; if it comes again it needs another g
	leaving   bool              // the tenant is taken out with its end
	wish      units.Frequency   // the newest wish; 0 before the first
	held      units.Frequency   // the clock that g knows another tenant to hold
	heldBy    arbiter.Tenant    // the tenant that holds it; valid while held is set
	applied   []units.Frequency // newest clock reported, by domain; 0 before
	short     []bool            // by domain: the newest report was below the domain's request
	due       []bool            // by domain: the machine has yet to answer a request
	waits     bool              // g has asked for a clock and heard nothing since
	believed  units.Frequency   // the clock that g knows of
	entered   int64             // nJ of g.Imposed that the ledger has
	borne     units.Energy      // energy of all successive g
	slowdowns Slowdowns
	out       []governor.Action // buffer of step, kept for reuse
}

func newCore(t *Tenant, domains int) *core {
	c := &core{number: t.Number, cfg: t.Config, applied: make([]units.Frequency, domains),
		short: make([]bool, domains), due: make([]bool, domains)}
	c.g, c.failed = governor.New(t.Config)
	return c
}

// begin makes a governor anew for a tenant that comes again: a service that was restarted is
// another program, of which nothing is known.
func (c *core) begin() {
	if c.over {
		c.g, c.failed = governor.New(c.cfg)
		c.over, c.wish, c.held, c.entered = false, 0, 0, 0
	}
	c.present = true
}

func (c *core) end() { c.present, c.over = false, true }

// highest returns the tenant's highest state.
func (c *core) highest() units.Frequency { return c.cfg.States[len(c.cfg.States)-1] }

// step hands an event to the core and returns its actions. A core that fails takes none.
func (c *core) step(ev *governor.Event) (out []governor.Action) {
	if c.failed != nil {
		return nil
	}
	defer func() {
		if why := recover(); why != nil {
			c.failed = fmt.Errorf("the governor of tenant %d failed: %v", c.number, why)
			out = nil
		}
	}()
	c.out = c.g.Step(ev, c.out[:0])
	return c.out
}

// unanswered reports whether the machine has yet to answer a request for a domain where the core's
// tenant runs.
func (c *core) unanswered(runsOn func(d int) bool) bool {
	for d, due := range c.due {
		if due && runsOn(d) {
			return true
		}
	}
	return false
}

// concerned reports whether an event that names t is the core's.
func (c *core) concerned(t arbiter.Tenant) bool {
	return c.present && (t == 0 || t == c.number)
}
