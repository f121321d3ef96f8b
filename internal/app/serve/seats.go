package serve

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/app/run"
	"github.com/ebb-energy/ebb/internal/render/printable"
)

// seats are the tenants that a service governs now. They are for the goroutine that reloads.
type seats struct {
	service *serving
	host    *live.Several
	cores   *many.Governors
	tenant  func(arbiter.Tenant, *config.Tenant) many.Tenant // a tenant's settings
	set     config.Tenants                                   // set that is governed now
	taken   map[string]seat                                  // by name
	free    []arbiter.Tenant
	exits   func(arbiter.Tenant) bool         // whether threads of a number's last tenant exit yet
	stop    func()                            // ends the governing
	between func(func())                      // calls a function on the goroutine that governs
	given   [bpf.MaxTenants + 1]atomic.Uint32 // how often each number was given
	leases  int
	anew    time.Time       // when all begins anew, as no clock is set any more; zero: it does not
	before  func(in []seat) // called before tenants come
	last    string          // what the newest reload changed
	notes   []string        // what the newest reload found besides
	// withdrawn gets the reason for setting no clock any more.
	withdrawn chan error
}

// seat is a tenant with its place and its number.
type seat struct {
	tenant   config.Tenant
	location live.Location
	number   arbiter.Tenant
}

// begin takes the seats of a run that begins.
func (s *seats) begin(r *run.Several, set config.Tenants) {
	s.host, s.cores, s.tenant, s.exits = r.Host(), r.Cores(), r.TenantConfig, r.Host().Exits
	s.stop, s.between = s.host.Stop, s.host.Between
	s.seatAll(set, r.Locations())
}

// seatAll seats the first set. Free numbers are used in the order in which they were given up,
// because records of a tenant that has left may yet come.
func (s *seats) seatAll(set config.Tenants, locations []live.Location) {
	s.set, s.taken = set, map[string]seat{}
	for i, t := range set.Tenants {
		s.taken[t.Name] = seat{t, locations[i], arbiter.Tenant(i + 1)}
	}
	for n := len(set.Tenants) + 1; n <= bpf.MaxTenants; n++ {
		s.free = append(s.free, arbiter.Tenant(n))
	}
}

// status says in a line what is governed.
func (s *seats) status() string {
	if !s.anew.IsZero() {
		return "sets no clock: begins anew " + s.anew.Format("at 15:04:05")
	}
	text := "governs " + printable.Count(len(s.taken), "tenant")
	switch {
	case len(s.taken)+s.leases == 0:
		text = "has no tenant but leases"
	case s.leases > 0:
		text += " and " + printable.Count(s.leases, "lease")
	}
	if s.last != "" {
		text += ", " + s.last
	}
	return text
}

// move is the change by a reload.
type move struct {
	out  []arbiter.Tenant
	in   []seat
	core []many.Tenant // governors' tenants of in
}

// take has another set governed, or reports that it needs a new beginning. On an error, which says
// what is wrong with the set, nothing is changed.
func (s *seats) take(set config.Tenants, over <-chan struct{}) (anew bool, err error) {
	if len(set.Tenants) == 0 && len(s.set.Tenants) == 0 && set.Rest == s.set.Rest {
		return false, nil
	}
	if len(set.Tenants) > 0 && len(s.set.Tenants) > 0 && set.Rest == s.set.Rest {
		// Numbers of tenants that leave are not given again at once, so there may be too few.
		if err := s.change(set, over); !errors.Is(err, errNumbers) {
			return false, err
		}
	}
	return true, s.check(set)
}

// change has another set governed from the end of a quantum on. On an error, which says what is
// wrong with the set, nothing is changed.
func (s *seats) change(set config.Tenants, over <-chan struct{}) error {
	next, m, err := s.plan(set)
	if err != nil {
		return err
	}
	s.before(m.in)
	made := make(chan error, 1)
	s.between(func() { made <- s.make(m) })
	select {
	case <-over:
		return nil // the service has ended
	case err = <-made:
	}
	changed := 0
	for name, one := range s.taken {
		n, stays := next[name]
		if stays && n.number == one.number {
			continue
		}
		s.free = append(s.free, one.number)
		if stays {
			changed++
		}
	}
	s.taken, s.set = next, set
	s.last = fmt.Sprintf("%d new, %d changed, %d gone", len(m.in)-changed, changed,
		len(m.out)-changed)
	return err
}

// check returns what is wrong with a set that is to begin anew, while the old one is still
// governed.
func (s *seats) check(set config.Tenants) error {
	if _, _, err := run.Locate(set.Tenants); err != nil {
		return err
	}
	for i := range set.Tenants {
		if _, err := s.core(&set.Tenants[i], 1); err != nil {
			return err
		}
	}
	return nil
}

// core returns a tenant for the governors. An error says what is wrong with it.
func (s *seats) core(t *config.Tenant, n arbiter.Tenant) (many.Tenant, error) {
	core := s.tenant(n, t)
	if _, err := governor.New(core.Config); err != nil {
		return core, fmt.Errorf("tenant %s: %w", t.Name, err)
	}
	return core, nil
}

// errNumbers: more tenants come at once than there are free numbers.
var errNumbers = errors.New("no number is free")

// plan finds the tenants that go and those that come. A tenant with another budget or place is
// taken out and comes as a new one, because its sums are of the old budget. A new tenant gets the
// number that was given up first.
func (s *seats) plan(set config.Tenants) (next map[string]seat, m move, err error) {
	locations, guesses, err := run.Locate(set.Tenants)
	if s.notes = guesses; err != nil {
		return nil, m, err
	}
	next = map[string]seat{}
	at := -1
	for i, t := range set.Tenants {
		one := seat{tenant: t, location: locations[i]}
		if old, is := s.taken[t.Name]; is && old.tenant == t && old.location == one.location {
			next[t.Name] = old
			continue
		}
		if at = s.pick(at + 1); at < 0 {
			return nil, m, errNumbers
		}
		one.number = s.free[at]
		core, err := s.core(&t, one.number)
		if err != nil {
			return nil, m, err
		}
		m.in, m.core = append(m.in, one), append(m.core, core)
		next[t.Name] = one
	}
	for name, one := range s.taken {
		if n, stays := next[name]; !stays || n.number != one.number {
			m.out = append(m.out, one.number)
		}
	}
	slices.Sort(m.out)
	for i := range m.in {
		s.give(m.in[i].number)
	}
	return next, m, nil
}

// pick returns the index of the first usable free number from an index on; -1: there is none. A
// number is not usable while threads of its last tenant still exit, because they would be counted
// for the next one.
func (s *seats) pick(from int) int {
	for i := from; i < len(s.free); i++ {
		if !s.exits(s.free[i]) {
			return i
		}
	}
	return -1
}

// give takes a number out of the free ones.
func (s *seats) give(n arbiter.Tenant) {
	i := slices.Index(s.free, n)
	s.free = slices.Delete(s.free, i, i+1)
	s.given[n].Add(1)
}

// exiting reports, for who was given a number last, whether threads of its exit yet. It may be
// called from any goroutine. Another is given the number only when they have, and then the number's
// threads are the other's.
func (s *seats) exiting(n arbiter.Tenant) func() bool {
	turn := s.given[n].Load()
	return func() bool { return s.given[n].Load() == turn && s.exits(n) }
}

// make changes the set, on the goroutine that governs.
func (s *seats) make(m move) error {
	s.host.Remove(m.out)
	for _, n := range m.out {
		s.cores.Remove(n)
		s.service.leave(n)
	}
	for i, one := range m.in {
		if err := s.cores.Add(&m.core[i]); err != nil {
			return err
		}
		s.service.sit(one.tenant.Name, &m.core[i])
		if err := s.host.Add(one.number, one.location.Dir); err != nil {
			return err
		}
	}
	return nil
}
