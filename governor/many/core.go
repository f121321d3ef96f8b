package many

import (
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// core is a tenant's governor, with its state that the others depend on.
type core struct {
	number    arbiter.Tenant
	cfg       governor.Config
	g         *governor.Governor
	failed    error             // failure after which g gets no more events
	present   bool              // tenant has begun and not ended
	over      bool              // tenant has ended; if it comes again it needs another g
	leaving   bool              // tenant is taken out with its End
	wish      units.Frequency   // newest wish; 0 before the first
	held      units.Frequency   // clock that g knows another tenant to hold; 0: none
	heldBy    arbiter.Tenant    // tenant that holds it; valid while held is set
	applied   []units.Frequency // newest clock reported, by domain; 0 before
	short     []bool            // newest report was below the domain's request, by domain
	due       []bool            // machine has yet to answer a request, by domain
	waits     bool              // g has asked for a clock and heard nothing since
	believed  units.Frequency   // clock that g knows of
	entered   int64             // nJ of g.Imposed that energies has
	borne     units.Energy      // energy of all successive g
	former    float64           // nJ that the governors before g saved
	slowdowns Slowdowns
	out       []governor.Action // buffer of step, kept for reuse
}

func newCore(t *Tenant, domains int) *core {
	c := &core{number: t.Number, cfg: t.Config, applied: make([]units.Frequency, domains),
		short: make([]bool, domains), due: make([]bool, domains)}
	c.g, c.failed = governor.New(t.Config)
	return c
}

// begin starts a tenant's time. A tenant that comes again gets a new governor: a service that was
// restarted is another program, of which nothing is known.
func (c *core) begin() {
	if c.over {
		if c.g != nil {
			c.former += c.g.Saved()
		}
		c.g, c.failed = governor.New(c.cfg)
		c.over, c.wish, c.held, c.entered = false, 0, 0, 0
	}
	c.present = true
}

// saved returns what all successive governors have saved.
func (c *core) saved() units.Energy {
	sum := c.former
	if c.g != nil {
		sum += c.g.Saved()
	}
	return units.Energy(math.Round(sum))
}

func (c *core) end() { c.present, c.over = false, true }

// highest returns the tenant's highest state.
func (c *core) highest() units.Frequency { return c.cfg.States[len(c.cfg.States)-1] }

// step hands an event to the core and returns its actions. A core that fails or panics returns
// none.
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
