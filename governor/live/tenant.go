package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// tenant is a program, or a group of programs, with a budget of its own.
type tenant struct {
	number   arbiter.Tenant
	location Location
	present  bool          // begun and not ended
	over     bool          // will not come again
	emptied  units.Instant // time at which it had no process, while its End is due; else 0
	tree     bool          // tree of processes, added by AddTree
	gone     bool          // taken out of the set
	cgroup   uint64        // id of the newest cgroup that is followed for it; 0: none
	path     int           // number of its path at the lookout
	seen     units.Instant // time of its newest record
	ran      time.Duration // time that it ran since the last tick
	share    cost          // its part of ebb's own cost, since it began
}

// begin emits a tenant's Begin.
func (s *Several) begin(t *tenant, at units.Instant) {
	f := s.clock
	if f == 0 {
		f = s.base
	}
	if at > t.emptied {
		t.emptied = 0
	}
	t.present, t.seen, t.share = true, at, cost{}
	s.emit(governor.Event{Kind: governor.Begin, At: at, Frequency: f, Tenant: t.number})
}

// end emits a tenant's End: at the time when it was found empty, or else at the newest tick. The
// End is never before a record of its own or a tick that was already returned.
func (s *Several) end(t *tenant) {
	at := t.emptied
	t.emptied = 0
	if !t.present {
		return
	}
	t.present = false
	s.emit(governor.Event{Kind: governor.End, At: max(at, t.seen, s.ticked), Tenant: t.number})
}

// attach follows a tenant that is a process.
func (s *Several) attach(t *tenant) error {
	s.begin(t, monotonic.Now())
	if err := s.tracer.AttachTenant(t.location.PID, uint16(t.number)); err != nil {
		return err
	}
	s.waiting.Add(1)
	go func() {
		defer s.waiting.Done()
		if !awaitEnd(s.alive, t.location.PID) {
			return
		}
		s.tracer.TenantExited(uint16(t.number), lastSwitch)
		s.inform(news{of: t, over: true, at: monotonic.Now()})
	}()
	return nil
}

// entered holds the cgroups of tenants that exist when ebb starts. They stay open until one walk
// over all threads has followed what is in them.
type entered struct {
	of      []*tenant
	cgroups []*cgroup.Cgroup
}

// mostEntered bounds the cgroups that are open at one time.
const mostEntered = 256

func (e *entered) close() {
	for _, c := range e.cgroups {
		c.Close() // opened for reading: nothing can be lost
	}
	e.of, e.cgroups = nil, nil
}

// walk follows the threads in the cgroups, and closes these. An error is about tenant which; 0:
// about none.
func (s *Several) walk(e *entered) (which arbiter.Tenant, err error) {
	defer e.close()
	if len(e.of) == 0 {
		return 0, nil
	}
	if err := s.tracer.Walk(); err != nil {
		return 0, err
	}
	for i, c := range e.cgroups {
		if err := s.unlessRemoved(c); err != nil {
			return e.of[i].number, err
		}
	}
	return 0, nil
}

// watch begins to look for a tenant that is a cgroup, and enters the cgroups that exist.
func (s *Several) watch(t *tenant, there *entered) (err error) {
	if s.lookout == nil {
		if s.lookout, err = cgroup.NewLookout(); err != nil {
			return err
		}
	}
	path, changes, err := s.lookout.Watch(t.location.Dir)
	s.looks(path, t)
	for i := range changes {
		if c := &changes[i]; c.What == cgroup.Made {
			there.of, there.cgroups = append(there.of, t), append(there.cgroups, c.Cgroup)
			if c.Filled {
				s.begin(t, monotonic.Now())
			}
			if err := s.tracer.Enter(c.ID, uint16(t.number)); err != nil {
				return err
			}
			t.cgroup = c.ID
		}
	}
	if err == nil && len(there.of) >= mostEntered {
		_, err = s.walk(there)
	}
	return err
}

// follow makes a cgroup's threads a tenant's. TakeMoves takes in those that are already there. It
// closes the cgroup.
func (s *Several) follow(t *tenant, c *cgroup.Cgroup, filled bool) error {
	defer c.Close() // opened for reading: nothing can be lost
	if filled && !t.present {
		s.begin(t, monotonic.Now())
	}
	err := s.tracer.Enter(c.ID, uint16(t.number))
	if err == nil {
		s.tracer.Owe() // no walk for each: others can make and remove such cgroups at will
		t.cgroup = c.ID
		err = s.unlessRemoved(c)
	}
	if err != nil {
		s.end(t)
	}
	return err
}

// unlessRemoved gives up a cgroup that was removed before it was followed, since no event reports
// that.
func (s *Several) unlessRemoved(c *cgroup.Cgroup) error {
	var stat unix.Stat_t
	if err := unix.Fstatat(c.FD(), "cgroup.procs", &stat, 0); err == nil {
		return nil
	}
	return s.tracer.Leave(c.ID)
}

// lookOut reports the changes of the tenants' cgroups, until the lookout is closed or fails.
func (s *Several) lookOut() {
	defer s.waiting.Done()
	for {
		changes, err := s.lookout.Next()
		for i := range changes {
			c := &changes[i]
			n := news{of: s.watched[c.Path]}
			switch c.What {
			case cgroup.Made:
				n.made, n.filled = c.Cgroup, c.Filled
			case cgroup.Failed:
				n.failed = fmt.Errorf("%w: it is looked for again and again", c.Err)
			default:
				s.tracer.TenantExited(uint16(n.of.number), lastSwitch)
				n.at = monotonic.Now()
			}
			s.inform(n)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = s.answer()
		}
		if errors.Is(err, os.ErrClosed) {
			return
		}
		if err != nil {
			s.mu.Lock()
			s.failed = err
			s.mu.Unlock()
			s.tracer.Wake()
			return
		}
	}
}

// learn handles news of a tenant.
func (s *Several) learn(n *news) {
	t := n.of
	switch {
	case n.failed != nil:
		s.doubt(fmt.Sprintf("%s: %v", t.location.Dir, n.failed))
		return
	case t.gone && n.made != nil:
		_ = n.made.Close() // opened for reading: nothing can be lost
		return
	case t.gone:
		return
	}
	if n.made == nil {
		t.emptied, t.over = n.at, t.over || n.over
		s.leaving = append(s.leaving, t)
		return
	}
	if err := s.follow(t, n.made, n.filled); err != nil {
		s.doubt(fmt.Sprintf("%s: %v", t.location.Dir, err))
	}
}

// awaitEnd waits until a process has ended. It returns false if the context ends before.
func awaitEnd(ctx context.Context, pid int) bool {
	for {
		fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
		switch {
		case err == nil:
			return awaitDescriptor(ctx, os.NewFile(uintptr(fd), "process"))
		case errors.Is(err, unix.ESRCH), unix.Kill(pid, 0) == unix.ESRCH:
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookEvery):
		}
	}
}

// awaitDescriptor waits, in Go's poller, until a process's descriptor shows that it has ended.
// There may be thousands of waits, and none takes a thread. It closes the descriptor.
func awaitDescriptor(ctx context.Context, f *os.File) (ended bool) {
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	defer context.AfterFunc(ctx, func() { f.Close() })() // closing it ends the wait
	_ = raw.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		ended = n > 0 && err == nil
		return ended
	})
	return ended
}
