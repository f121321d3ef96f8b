// Package many governs several tenants at once: programs, or groups of programs, each with a budget
// of its own.
//
//	Machine.Next -> Event -> Governors.Step -> Action -> Machine.Apply
//
// Each tenant has a governor.Governor of its own, the core, which knows nothing of the others.
// Governors hand it the events that concern it, take the clocks that it asks for as wishes, and
// have package arbiter weigh them. Events and actions of their machine have numbers of tenants and
// domains. With one tenant, all that passes is what passes between a single core and its machine.
//
// # Whose event it is
//
//   - A scheduler's record is the tenant's that it names. A Tick or Lost that names none is
//     everybody's: one that names a tenant confirms that tenant's records alone, as while the
//     others rest.
//   - Begin and End are a tenant's. A tenant that comes is counted from its Begin on; one that
//     comes again, as a service that was restarted, gets a new core.
//   - Applied is of a domain, and goes to the cores that run there. One that names a tenant is the
//     clock of that tenant's CPUs alone.
//   - Metered is the whole machine's. A core learns from it while its tenant is the only one there:
//     what the others use is not its work's.
//   - All others are the tenant's that they name, or everybody's.
//
// # What a core believes of the clock
//
// It believes what the machine delivers, whoever asked for it. If another tenant's wish is above
// its own, a Held event says so: then the faster clock is neither a fault nor a reason to ask
// again. The time that it wins is credited as it is measured; the policy's bound on carried time
// (governor.Config.CarryMax) keeps an hour of it from being spent at the lowest state later. On
// domains with different clocks the slowest counts.
//
// A tenant that comes back to a domain counts from its first record. The request leaves in the same
// step, so within a quantum where a machine delivers records with its ticks.
//
// # Tenants that change
//
// Add and Remove change the set between two steps: a core is one tenant's, so the others keep what
// they know, and their accounts.
//
// # A core that fails
//
// A core that panics, or that cannot be made, is taken out: its tenant wishes for the highest state
// until its end. The other cores go on.
package many

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/units"
)

// Most is the largest number of tenants: as many as the BPF programs have, and the rest of the
// machine.
const Most = 4096 + 1

// Tenant is a tenant's number and the configuration of its governor.
type Tenant struct {
	Number arbiter.Tenant // 0: it is the only tenant
	Config governor.Config
}

// Config is the configuration of Governors. It determines the response to events.
type Config struct {
	Tenants []Tenant // ascending by number; all have the same quantum
	// Quantum is the quantum of tenants that are added later. It is used where Tenants is empty.
	Quantum time.Duration
	// Domains is the frequency domain of each CPU; nil: all CPUs have the same one.
	Domains []arbiter.Domain
}

func (c *Config) validate() error {
	switch {
	case len(c.Tenants) == 0 && c.Quantum <= 0:
		return errors.New("no tenant to govern")
	case len(c.Tenants) > Most:
		return fmt.Errorf("%d tenants, more than %d", len(c.Tenants), Most)
	}
	for i := range c.Tenants {
		t := &c.Tenants[i]
		switch {
		case t.Number == 0 && len(c.Tenants) > 1:
			return errors.New("tenant 0 among others")
		case i > 0 && t.Number <= c.Tenants[i-1].Number:
			return fmt.Errorf("tenant %d behind tenant %d", t.Number, c.Tenants[i-1].Number)
		case t.Config.Quantum != c.Tenants[0].Config.Quantum:
			return fmt.Errorf("tenant %d has a quantum of %v, tenant %d one of %v", t.Number,
				t.Config.Quantum, c.Tenants[0].Number, c.Tenants[0].Config.Quantum)
		case len(t.Config.States) == 0:
			return fmt.Errorf("tenant %d has no frequency to choose from", t.Number)
		}
	}
	return nil
}

// domains returns the number of frequency domains.
func (c *Config) domains() int {
	if len(c.Domains) == 0 {
		return 1
	}
	return int(slices.Max(c.Domains)) + 1
}

// Governors holds the cores of a machine's tenants. New makes it. Only one goroutine may use it.
type Governors struct {
	domains  []arbiter.Domain // by CPU
	arbiter  *arbiter.Arbiter
	cores    []*core // by number, ascending
	present  int     // number of tenants that have begun and not ended
	quiet    bool    // nothing has happened that other cores must know
	settled  bool    // no tenant has run since finishStep last left nothing to do
	now      units.Instant
	size     int // number of domains
	quantum  time.Duration
	energies energies

	out      []governor.Action // actions of the step in progress
	requests []arbiter.Request // buffer of request, kept for reuse
}

// New makes the cores. A tenant whose configuration its core rejects is no error for the others:
// Failed returns the reason, and the tenant runs at the highest state.
func New(cfg Config) (*Governors, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("several tenants: %w", err)
	}
	quantum := cfg.Quantum
	if len(cfg.Tenants) > 0 {
		quantum = cfg.Tenants[0].Config.Quantum
	}
	m := &Governors{domains: cfg.Domains, size: cfg.domains(), quantum: quantum,
		arbiter: arbiter.New(cfg.domains(), quantum)}
	for i := range cfg.Tenants {
		m.cores = append(m.cores, newCore(&cfg.Tenants[i], cfg.domains()))
	}
	return m, nil
}

// Governor returns a tenant's core since its last Begin, so that its accounts can be read; nil for
// an unknown tenant.
func (g *Governors) Governor(t arbiter.Tenant) *governor.Governor {
	if c := g.find(t); c != nil {
		return c.g
	}
	return nil
}

// Failed returns why a tenant has lost its core and runs at the highest state; nil while it has
// one.
func (g *Governors) Failed(t arbiter.Tenant) error {
	if c := g.find(t); c != nil {
		return c.failed
	}
	return nil
}

// Slowdowns returns a tenant's accounts of time; nil for an unknown tenant.
func (g *Governors) Slowdowns(t arbiter.Tenant) *Slowdowns {
	if c := g.find(t); c != nil {
		return &c.slowdowns
	}
	return nil
}

func (g *Governors) find(t arbiter.Tenant) *core {
	i, found := g.index(t)
	if !found {
		return nil
	}
	return g.cores[i]
}
