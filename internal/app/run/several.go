package run

import (
	"context"

	"github.com/ebb-energy/ebb/cpufreq/guardian"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/command"
	"github.com/ebb-energy/ebb/units"
)

// Several is an open run of several tenants.
type Several struct {
	*part.Run
	run *run
	all *several
}

func (s *Several) String() string { return s.all.String() }

// Start begins to follow the tenants.
func (s *Several) Start() error { return s.run.startTenants(s.all) }

// Obey has signals end the run.
func (s *Several) Obey(signals *command.Signals) {
	s.run.end.hurried, s.run.end.reached = signals.Hurried, signals.Ended
	s.run.obeys(signals)
	signals.Forward(attachedOnly{s.all.host})
}

// Govern lets the governors govern until all tenants have ended or the run is stopped. The
// frequencies are back when it returns.
func (s *Several) Govern(ctx context.Context) error { return s.run.govern(ctx) }

// Close releases everything, the machine's frequencies first.
func (s *Several) Close() error { return s.run.close() }

// Doing says how frequencies are set.
func (s *Several) Doing() string { return s.run.doing() }

// Waiting names the tenants that have no process yet, as the end of a sentence.
func (s *Several) Waiting() string { return s.all.waiting() }

// Host returns the host, which follows the tenants.
func (s *Several) Host() *live.Several { return s.all.host }

// Cores returns the tenants' governors.
func (s *Several) Cores() *many.Governors { return s.all.cores }

// Locations returns the places of the tenants, in the order of their file.
func (s *Several) Locations() []live.Location { return s.all.locations }

// Guardian returns the guardian; nil where nothing is written.
func (s *Several) Guardian() *guardian.Guardian { return s.run.guardian }

// States returns the states that the tenants may have, ascending.
func (s *Several) States() []units.Frequency {
	states, _ := s.run.settings.States.Of(s.Actuator.States()) // OpenSeveral has checked them
	return states
}

// TenantConfig returns the settings of one tenant.
func (s *Several) TenantConfig(n arbiter.Tenant, t *config.Tenant) many.Tenant {
	return s.run.tenantConfig(s.States(), n, t)
}

// RestNumber returns the number by which programs that are no tenant's are governed.
func (s *Several) RestNumber() arbiter.Tenant { return s.run.settings.restNumber() }

// Locate finds the places of a list of tenants. Guesses are sentences on places where some are
// guessed to come.
func Locate(list []config.Tenant) (places []live.Location, guesses []string, err error) {
	var all several
	err = all.locateAll(list)
	return all.locations, all.guess, err
}
