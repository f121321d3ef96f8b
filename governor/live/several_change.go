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
func (s *Several) Between(f func()) {
	s.mu.Lock()
	s.changes = append(s.changes, f)
	s.mu.Unlock()
	s.tracer.Wake()
}

// change calls the functions that Between was given.
func (s *Several) change() {
	s.mu.Lock()
	all := s.changes
	s.changes = nil
	s.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Add makes the machine look for one more tenant, which is a cgroup. No other tenant may have its
// number. A place that cannot be watched is reported as a doubt.
func (s *Several) Add(number arbiter.Tenant, dir string) error {
	if s.lookout == nil {
		return errors.New("look for one more tenant: nobody looks for cgroups")
	}
	for len(s.tenants) < int(number) {
		s.tenants = append(s.tenants, nil)
	}
	t := &tenant{number: number, location: Location{Dir: dir}}
	s.tenants[number-1] = t
	s.asked(ask{of: t})
	return nil
}

// AddTree adds a tenant that is a tree of processes, which AttachTree follows and ReleaseTree gives
// up. It begins at once, and only Remove ends it. No other tenant may have its number.
func (s *Several) AddTree(number arbiter.Tenant) {
	for len(s.tenants) < int(number) {
		s.tenants = append(s.tenants, nil)
	}
	t := &tenant{number: number, tree: true}
	s.tenants[number-1] = t
	s.begin(t, monotonic.Now())
}

// AttachTree follows a user's process and its descendants for a tenant of AddTree. It walks over
// all threads, so it and ReleaseTree are called on one goroutine that is not the one that governs.
func (s *Several) AttachTree(pid int, number arbiter.Tenant, user uint32) error {
	return s.tracer.AttachOwned(pid, uint16(number), user)
}

// AttachCgroup follows a cgroup for such a tenant, with all cgroups below it, whoever owns their
// processes. ReleaseCgroup gives it up. A cgroup that is made anew at its place is not followed.
func (s *Several) AttachCgroup(c *cgroup.Cgroup, number arbiter.Tenant) error {
	if err := s.tracer.AttachGroup(c.ID, uint16(number)); err != nil {
		return err
	}
	return s.unlessRemoved(c)
}

// ReleaseCgroup gives the threads in a cgroup back to the tenant of a cgroup above, if there is
// one.
func (s *Several) ReleaseCgroup(c *cgroup.Cgroup) error { return s.tracer.ReleaseGroup(c.ID) }

// ReleaseTree gives a tenant's threads back to the tenants of their cgroups, if there are any.
func (s *Several) ReleaseTree(number arbiter.Tenant) error {
	return s.tracer.Release(uint16(number))
}

// ExpelOthers takes processes that have got another user's rights out of AddTree's tenants. It is
// called on AttachTree's goroutine.
func (s *Several) ExpelOthers() error { return s.tracer.Expel() }

// Exits reports whether threads of a tenant are exiting, also of one that was taken out. Records of
// theirs may come until they have exited. Any goroutine may call it.
func (s *Several) Exits(number arbiter.Tenant) bool {
	return !s.tracer.TenantExited(uint16(number), 0)
}

// Ran returns when a tenant of AddTree last ran; 0 where that is not known. It is called from a
// function of Between.
func (s *Several) Ran(number arbiter.Tenant) units.Instant {
	if t := s.tenants[number-1]; t != nil {
		return t.seen
	}
	return 0
}

// Remove takes tenants out: they end at once, and their threads are nobody's. It must not be given
// a tenant that was a process at Start. Records of theirs may still come, so their numbers should
// not be reused soon.
func (s *Several) Remove(numbers []arbiter.Tenant) {
	var gone []*tenant
	followed := false
	for _, n := range numbers {
		t := s.tenants[n-1]
		s.end(t)
		t.gone, t.emptied, s.tenants[n-1] = true, 0, nil
		if !t.tree {
			gone = append(gone, t)
		}
		if t.cgroup == 0 {
			continue
		}
		followed = true
		if err := s.tracer.Leave(t.cgroup); err != nil {
			s.doubt(fmt.Sprintf("%s: %v", t.location.Dir, err))
		}
	}
	if followed { // one walk for all, as it delays the others' decisions
		if err := s.tracer.Walk(); err != nil {
			s.doubt("take tenants out: " + err.Error())
		}
	}
	if len(gone) > 0 {
		s.asked(ask{no: gone})
	}
}

// asked passes a request to the lookout's goroutine.
func (s *Several) asked(a ask) {
	s.mu.Lock()
	s.asks = append(s.asks, a)
	s.mu.Unlock()
	if err := s.lookout.Interrupt(); err != nil {
		s.doubt("change what is looked for: " + err.Error())
	}
}

// answer serves the requests to the lookout, on its goroutine.
func (s *Several) answer() error {
	if err := s.lookout.Resume(); err != nil { // first, so that a later request interrupts again
		return err
	}
	s.mu.Lock()
	asks := s.asks
	s.asks = nil
	s.mu.Unlock()
	for _, a := range asks {
		if a.of == nil {
			s.overlook(a.no)
			continue
		}
		path, changes, err := s.lookout.Watch(a.of.location.Dir)
		s.looks(path, a.of)
		for i := range changes {
			if c := &changes[i]; c.What == cgroup.Made {
				s.inform(news{of: a.of, made: c.Cgroup, filled: c.Filled})
			}
		}
		if err != nil {
			s.inform(news{of: a.of, failed: err, at: monotonic.Now()})
		}
	}
	return nil
}

// looks notes the tenant whose path has a number of the lookout; -1 where none is watched.
func (s *Several) looks(path int, t *tenant) {
	if path < 0 {
		return
	}
	for len(s.watched) <= path {
		s.watched = append(s.watched, nil)
	}
	s.watched[path], t.path = t, path
}

func (s *Several) overlook(gone []*tenant) {
	var paths []int
	for _, t := range gone {
		if t.path < len(s.watched) && s.watched[t.path] == t {
			s.watched[t.path] = nil
			paths = append(paths, t.path)
		}
	}
	s.lookout.Unwatch(paths...)
}

// mostDoubts bounds the doubts that are kept.
const mostDoubts = 64

// Warn has say called with a sentence whenever something goes wrong with a tenant. Call it before
// Start.
func (s *Several) Warn(say func(string)) { s.say = say }

// doubt passes a sentence about a tenant to Warn's function, or keeps it if there is none. It keeps
// the first mostDoubts.
func (s *Several) doubt(text string) {
	switch {
	case s.say != nil:
		s.say(text)
	case len(s.doubts) < mostDoubts:
		s.doubts = append(s.doubts, text)
	}
}
