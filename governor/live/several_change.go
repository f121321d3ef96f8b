package live

import (
	"errors"
	"fmt"

	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// ask asks the goroutine that has the lookout to look for a tenant, or to look at paths no more.
type ask struct {
	of *tenant // nil: no more
	no []*tenant
}

// Between calls f once between two readings, on the goroutine that governs: Add and Remove are for
// such a function. Nobody calls it where the machine ends before. It may be called from any
// goroutine.
func (m *Several) Between(f func()) {
	m.mu.Lock()
	m.changes = append(m.changes, f)
	m.mu.Unlock()
	m.tracer.Wake()
}

// change makes the changes that were asked for.
func (m *Several) change() {
	m.mu.Lock()
	all := m.changes
	m.changes = nil
	m.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Add has the machine look for one more tenant, which is a cgroup. Its number is no other's. A
// place that cannot be watched is a doubt.
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

// AddTree takes in one more tenant, which is a tree of processes that AttachTree follows and
// ReleaseTree gives up. It begins now, and ends by Remove alone. Its number is no other's.
func (m *Several) AddTree(number arbiter.Tenant) {
	for len(m.tenants) < int(number) {
		m.tenants = append(m.tenants, nil)
	}
	t := &tenant{number: number, tree: true}
	m.tenants[number-1] = t
	m.begin(t, monotonic.Now())
}

// AttachTree follows a user's process and its descendants for a tenant of AddTree's. It is for one
// goroutine, with ReleaseTree, and not for the one that governs: it walks over all threads.
func (m *Several) AttachTree(pid int, number arbiter.Tenant, user uint32) error {
	return m.tracer.AttachOwned(pid, uint16(number), user)
}

// AttachCgroup follows a cgroup instead, with all below it and whoever's processes are in it, and
// ReleaseCgroup gives it up. It is that cgroup alone, and none that is made anew at its place.
func (m *Several) AttachCgroup(c *cgroup.Cgroup, number arbiter.Tenant) error {
	if err := m.tracer.AttachGroup(c.ID, uint16(number)); err != nil {
		return err
	}
	return m.unlessRemoved(c)
}

// ReleaseCgroup has the threads in a cgroup be nobody's, or whose a cgroup above is.
func (m *Several) ReleaseCgroup(c *cgroup.Cgroup) error { return m.tracer.ReleaseGroup(c.ID) }

// ReleaseTree has the threads be nobody's, or whose their cgroup is.
func (m *Several) ReleaseTree(number arbiter.Tenant) error {
	return m.tracer.Release(uint16(number))
}

// ExpelOthers has processes leave AddTree's tenants that have another user's rights by now. It is
// for AttachTree's goroutine.
func (m *Several) ExpelOthers() error { return m.tracer.Expel() }

// Exits reports whether threads of a tenant's exit, also of one that was taken out: until they
// have, records of theirs may come. It may be called from any goroutine.
func (m *Several) Exits(number arbiter.Tenant) bool {
	return !m.tracer.TenantExited(uint16(number), 0)
}

// Ran is when a tenant of AddTree's ran last. It is for a function of Between's.
func (m *Several) Ran(number arbiter.Tenant) units.Instant {
	if t := m.tenants[number-1]; t != nil {
		return t.seen
	}
	return 0
}

// Remove takes tenants out: they end now, and their threads are nobody's. It takes none that is a
// process of Start's. Records of theirs may yet come, so that their numbers are better not given
// again soon.
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

// asked hands on what the lookout is to do.
func (m *Several) asked(a ask) {
	m.mu.Lock()
	m.asks = append(m.asks, a)
	m.mu.Unlock()
	if err := m.lookout.Interrupt(); err != nil {
		m.doubt("change what is looked for: " + err.Error())
	}
}

// answer does what the lookout was asked for, on its goroutine.
func (m *Several) answer() error {
	if err := m.lookout.Resume(); err != nil { // before: who asks later interrupts again
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

// looks enters whose path a number of the lookout's is.
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

// Warn has what goes wrong with a tenant said when it happens, in a sentence. Call it before Start.
func (m *Several) Warn(say func(string)) { m.say = say }

// doubt keeps a sentence about a tenant, the first of them, or says it.
func (m *Several) doubt(s string) {
	switch {
	case m.say != nil:
		m.say(s)
	case len(m.doubts) < mostDoubts:
		m.doubts = append(m.doubts, s)
	}
}
