package run

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/governor/live"
	"github.com/ebb-energy/ebb/governor/many"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// seats are the tenants that a service governs now. They are for the goroutine that reloads.
type seats struct {
	run    *Run
	all    *several
	set    config.Tenants // set that is governed now
	states []units.Frequency
	taken  map[string]seat // by name
	free   []arbiter.Tenant
	exits  func(arbiter.Tenant) bool         // whether threads of a number's last tenant still exit
	given  [bpf.MaxTenants + 1]atomic.Uint32 // how often each number was given
	leases int
	before func(in []seat) // called before tenants come
	last   string          // what the newest reload changed
	notes  []string        // what the newest reload found besides
}

// seat is a tenant with its place and its number.
type seat struct {
	tenant config.Tenant
	place  live.Place
	number arbiter.Tenant
}

// newSeats returns the seats of a run that begins. Free numbers are used in the order in which they
// were given up, because records of a tenant that has left may yet come.
func newSeats(r *Run, all *several, set config.Tenants) *seats {
	k := &seats{run: r, all: all, set: set, taken: map[string]seat{}, exits: all.host.Exits}
	k.states, _ = r.settings.States.Of(r.actuator.States()) // openSeveral has checked them
	for i, t := range set.Tenants {
		k.taken[t.Name] = seat{t, all.places[i], arbiter.Tenant(i + 1)}
	}
	for n := len(set.Tenants) + 1; n <= bpf.MaxTenants; n++ {
		k.free = append(k.free, arbiter.Tenant(n))
	}
	return k
}

// status says in a line what is governed.
func (k *seats) status() string {
	s := "governs " + printable.Count(len(k.taken), "tenant")
	switch {
	case len(k.taken)+k.leases == 0:
		s = "has no tenant but leases"
	case k.leases > 0:
		s += " and " + printable.Count(k.leases, "lease")
	}
	if k.last != "" {
		s += ", " + k.last
	}
	return s
}

// move is the change by a reload.
type move struct {
	out  []arbiter.Tenant
	in   []seat
	core []many.Tenant // governors' tenants of in
}

// take has another set governed, or reports that it needs a new beginning. On an error, which says
// what is wrong with the set, nothing is changed.
func (k *seats) take(set config.Tenants, over <-chan struct{}) (anew bool, err error) {
	if len(set.Tenants) == 0 && len(k.set.Tenants) == 0 && set.Rest == k.set.Rest {
		return false, nil
	}
	if len(set.Tenants) > 0 && len(k.set.Tenants) > 0 && set.Rest == k.set.Rest {
		// Numbers of tenants that leave are not given again at once, so there may be too few.
		if err := k.change(set, over); !errors.Is(err, errNumbers) {
			return false, err
		}
	}
	return true, k.check(set)
}

// change has another set governed from the end of a quantum on. On an error, which says what is
// wrong with the set, nothing is changed.
func (k *seats) change(set config.Tenants, over <-chan struct{}) error {
	places := &several{}
	next, m, err := k.plan(set, places)
	k.notes = places.guess
	if err != nil {
		return err
	}
	k.before(m.in)
	made := make(chan error, 1)
	k.all.host.Between(func() { made <- k.make(m) })
	select {
	case <-over:
		return nil // the service has ended
	case err = <-made:
	}
	for name, s := range k.taken {
		if n, stays := next[name]; !stays || n.number != s.number {
			k.free = append(k.free, s.number)
		}
	}
	k.taken, k.set = next, set
	k.last = fmt.Sprintf("%d new, %d gone", len(m.in), len(m.out))
	return err
}

// check returns what is wrong with a set that is to begin anew, while the old one is still
// governed.
func (k *seats) check(set config.Tenants) error {
	if err := (&several{}).placeAll(set.Tenants); err != nil {
		return err
	}
	for i := range set.Tenants {
		if _, err := k.core(&set.Tenants[i], 1); err != nil {
			return err
		}
	}
	return nil
}

// core returns a tenant for the governors. An error says what is wrong with it.
func (k *seats) core(t *config.Tenant, n arbiter.Tenant) (many.Tenant, error) {
	core := k.run.tenantConfig(k.states, n, t)
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
func (k *seats) plan(set config.Tenants, places *several) (next map[string]seat, m move,
	err error,
) {
	if err := places.placeAll(set.Tenants); err != nil {
		return nil, m, err
	}
	next = map[string]seat{}
	at := -1
	for i, t := range set.Tenants {
		s := seat{tenant: t, place: places.places[i]}
		if old, is := k.taken[t.Name]; is && old.tenant == t && old.place == s.place {
			next[t.Name] = old
			continue
		}
		if at = k.pick(at + 1); at < 0 {
			return nil, m, errNumbers
		}
		s.number = k.free[at]
		core, err := k.core(&t, s.number)
		if err != nil {
			return nil, m, err
		}
		m.in, m.core = append(m.in, s), append(m.core, core)
		next[t.Name] = s
	}
	for name, s := range k.taken {
		if n, stays := next[name]; !stays || n.number != s.number {
			m.out = append(m.out, s.number)
		}
	}
	slices.Sort(m.out)
	for i := range m.in {
		k.give(m.in[i].number)
	}
	return next, m, nil
}

// pick returns the index of the first usable free number from an index on; -1: there is none. A
// number is not usable while threads of its last tenant still exit, because they would be counted
// for the next one.
func (k *seats) pick(from int) int {
	for i := from; i < len(k.free); i++ {
		if !k.exits(k.free[i]) {
			return i
		}
	}
	return -1
}

// give takes a number out of the free ones.
func (k *seats) give(n arbiter.Tenant) {
	i := slices.Index(k.free, n)
	k.free = slices.Delete(k.free, i, i+1)
	k.given[n].Add(1)
}

// exiting reports, for who was given a number last, whether threads of its exit yet. It may be
// called from any goroutine. Another is given the number only when they have, and then the number's
// threads are the other's.
func (k *seats) exiting(n arbiter.Tenant) func() bool {
	turn := k.given[n].Load()
	return func() bool { return k.given[n].Load() == turn && k.exits(n) }
}

// make changes the set, on the goroutine that governs.
func (k *seats) make(m move) error {
	k.all.host.Remove(m.out)
	for _, n := range m.out {
		k.all.cores.Remove(n)
		k.run.settings.Tenants.Service.leave(n)
	}
	for i, s := range m.in {
		if err := k.all.cores.Add(&m.core[i]); err != nil {
			return err
		}
		k.run.settings.Tenants.Service.sit(s.tenant.Name, &m.core[i])
		if err := k.all.host.Add(s.number, s.place.Dir); err != nil {
			return err
		}
	}
	return nil
}
