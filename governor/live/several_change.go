package live

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// ask is a request to the lookout's goroutine: to look for a tenant, or to stop watching paths.
type ask struct {
	of *tenant   // tenant to look for; nil: none
	no []*tenant // tenants to stop watching
}

// Between has f called once between two readings, on the goroutine that governs. Add and Remove
// must be called from such a function. F is not called if the machine ends before. Any goroutine
// may call Between.
func (m *Several) Between(f func()) {
	m.mu.Lock()
	m.changes = append(m.changes, f)
	m.mu.Unlock()
	m.tracer.Wake()
}

// change calls the functions that Between was given.
func (m *Several) change() {
	m.mu.Lock()
	all := m.changes
	m.changes = nil
	m.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Add makes the machine look for one more tenant, which is a cgroup. No other tenant may have its
// number. A place that cannot be watched is reported as a doubt.
func (m *Several) Add(number arbiter.Tenant, dir string) error {
	if m.lookout == nil {
		return errors.New("look for one more tenant: nobody looks for cgroups")
	}
	for len(m.tenants) < int(number) {
		m.tenants = append(m.tenants, nil)
	}
	t := &tenant{number: number, place: Place{Dir: dir}}
	m.tenants[number-1] = t
	m.asked(ask{of: t})
	return nil
}

// AddTree adds a tenant that is a tree of processes, which AttachTree follows and ReleaseTree gives
// up. It begins at once, and only Remove ends it. No other tenant may have its number.
func (m *Several) AddTree(number arbiter.Tenant) {
	for len(m.tenants) < int(number) {
		m.tenants = append(m.tenants, nil)
	}
	t := &tenant{number: number, tree: true}
	m.tenants[number-1] = t
	m.begin(t, monotonic.Now())
}

// AttachTree follows a user's process and its descendants for a tenant of AddTree. It walks over
// all threads, so it and ReleaseTree are called on one goroutine that is not the one that governs.
func (m *Several) AttachTree(pid int, number arbiter.Tenant, user uint32) error {
	return m.tracer.AttachOwned(pid, uint16(number), user)
}

// AttachCgroup follows a cgroup for such a tenant, with all cgroups below it, whoever owns their
// processes. ReleaseCgroup gives it up. A cgroup that is made anew at its place is not followed.
func (m *Several) AttachCgroup(c *cgroup.Cgroup, number arbiter.Tenant) error {
	if err := m.tracer.AttachGroup(c.ID, uint16(number)); err != nil {
		return err
	}
	return m.unlessRemoved(c)
}

// ReleaseCgroup gives the threads in a cgroup back to the tenant of a cgroup above, if there is
// one.
func (m *Several) ReleaseCgroup(c *cgroup.Cgroup) error { return m.tracer.ReleaseGroup(c.ID) }

// ReleaseTree gives a tenant's threads back to the tenants of their cgroups, if there are any.
func (m *Several) ReleaseTree(number arbiter.Tenant) error {
	return m.tracer.Release(uint16(number))
}

// ExpelOthers takes processes that have got another user's rights out of AddTree's tenants. It is
// called on AttachTree's goroutine.
func (m *Several) ExpelOthers() error { return m.tracer.Expel() }

// Exits reports whether threads of a tenant are exiting, also of one that was taken out. Records of
// theirs may come until they have exited. Any goroutine may call it.
func (m *Several) Exits(number arbiter.Tenant) bool {
	return !m.tracer.TenantExited(uint16(number), 0)
}

// Ran returns when a tenant of AddTree last ran; 0 where that is not known. It is called from a
// function of Between.
func (m *Several) Ran(number arbiter.Tenant) units.Instant {
	if t := m.tenants[number-1]; t != nil {
		return t.seen
	}
	return 0
}

// Remove takes tenants out: they end at once, and their threads are nobody's. It must not be given
// a tenant that was a process at Start. Records of theirs may still come, so their numbers should
// not be reused soon.
func (m *Several) Remove(numbers []arbiter.Tenant) {
	var gone []*tenant
	for _, n := range numbers {
		t := m.tenants[n-1]
		m.end(t)
		t.gone, t.emptied, m.tenants[n-1] = true, 0, nil
		if !t.tree {
			gone = append(gone, t)
		}
		if t.cgroup == 0 {
			continue
		}
		if err := m.tracer.Unfollow(t.cgroup); err != nil {
			m.doubt(fmt.Sprintf("%s: %v", t.place.Dir, err))
		}
	}
	if len(gone) > 0 {
		m.asked(ask{no: gone})
	}
}

// asked passes a request to the lookout's goroutine.
func (m *Several) asked(a ask) {
	m.mu.Lock()
	m.asks = append(m.asks, a)
	m.mu.Unlock()
	if err := m.lookout.Interrupt(); err != nil {
		m.doubt("change what is looked for: " + err.Error())
	}
}

// answer serves the requests to the lookout, on its goroutine.
func (m *Several) answer() error {
	if err := m.lookout.Resume(); err != nil { // first, so that a later request interrupts again
		return err
	}
	m.mu.Lock()
	asks := m.asks
	m.asks = nil
	m.mu.Unlock()
	for _, a := range asks {
		if a.of == nil {
			m.overlook(a.no)
			continue
		}
		path, changes, err := m.lookout.Watch(a.of.place.Dir)
		m.looks(path, a.of)
		for i := range changes {
			if c := &changes[i]; c.What == cgroup.Made {
				m.inform(news{of: a.of, made: c.Cgroup, filled: c.Filled})
			}
		}
		if err != nil {
			m.inform(news{of: a.of, failed: err, at: monotonic.Now()})
		}
	}
	return nil
}

// looks notes the tenant whose path has a number of the lookout.
func (m *Several) looks(path int, t *tenant) {
	for len(m.watched) <= path {
		m.watched = append(m.watched, nil)
	}
	m.watched[path], t.path = t, path
}

func (m *Several) overlook(gone []*tenant) {
	var paths []int
	for _, t := range gone {
		m.watched[t.path] = nil
		paths = append(paths, t.path)
	}
	m.lookout.Unwatch(paths...)
}

// mostDoubts bounds the doubts that are kept.
const mostDoubts = 64

// Warn has say called with a sentence whenever something goes wrong with a tenant. Call it before
// Start.
func (m *Several) Warn(say func(string)) { m.say = say }

// doubt passes a sentence about a tenant to Warn's function, or keeps it if there is none. It keeps
// the first mostDoubts.
func (m *Several) doubt(s string) {
	switch {
	case m.say != nil:
		m.say(s)
	case len(m.doubts) < mostDoubts:
		m.doubts = append(m.doubts, s)
	}
}
