package serve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/internal/linux/cgroup"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// tenantLease has a user's tree of processes be a tenant, or a user's cgroup, for as long as
// somebody holds it.
type tenantLease struct {
	Name string
	PID  int
	// Cgroup is whose processes the tenant are, whoever's they be; nil: PID's and its descendants.
	// It stays open until the lease has been given back.
	Cgroup   *cgroup.Cgroup
	User     uint32
	Slowdown units.Slowdown
	// Lost is called when it is no longer governed although it is held. It must not wait.
	Lost func()

	walked atomic.Int64
	number arbiter.Tenant // 0: it is not governed now
	exits  func() bool    // reports whether threads of it still exit; nil before it was governed
}

// leaseDesk hands leases to a service's goroutine. Its methods may be called from any other.
type leaseDesk struct {
	asks chan leaseAsk
	idle time.Duration // time without running after which a lease ends
}

// idleLease is the time after which a lease ends whose processes have not run. The service would
// govern for nobody, with the clocks where the lease wishes them.
const idleLease = 10 * time.Minute

// looks is the number of checks in idleLease whether a lease is idle.
const looks = 10

// newLeaseDesk returns a new leaseDesk.
func newLeaseDesk() *leaseDesk { return &leaseDesk{make(chan leaseAsk), idleLease} }

// leaseAsk asks for a lease, or gives one back.
type leaseAsk struct {
	lease  *tenantLease
	back   bool
	answer chan error // has room for one
}

// Errors of Take. They come wrapped.
var (
	// errServiceEnds: the service took no lease before it ended.
	errServiceEnds = errors.New("the service ends")
	// errLeaseTaken: the process or cgroup is a tenant's already, or the process another user's.
	errLeaseTaken = errors.New("there can be no lease of it")
	// errLeaseEnded: there is no such process or cgroup any more.
	errLeaseEnded = errors.New("it has ended")
)

// Exits reports whether threads of a lease that was given back still exit.
func (l *leaseDesk) Exits(x *tenantLease) bool { return x.exits != nil && x.exits() }

// Take asks for a lease to be governed, and returns when it is. The context is the service's.
func (l *leaseDesk) Take(ctx context.Context, x *tenantLease) error { return l.ask(ctx, x, false) }

// GiveBack ends the governing of a lease.
func (l *leaseDesk) GiveBack(ctx context.Context, x *tenantLease) error {
	return l.ask(ctx, x, true)
}

func (l *leaseDesk) ask(ctx context.Context, x *tenantLease, back bool) error {
	a := leaseAsk{x, back, make(chan error, 1)}
	select {
	case l.asks <- a:
	case <-ctx.Done():
		return errServiceEnds
	}
	select {
	case err := <-a.answer:
		return err
	case <-ctx.Done():
		return errServiceEnds
	}
}

// leasing has the leases of a service. It is for the goroutine that reloads, and while there is
// none for the service's own.
type leasing struct {
	held  []*tenantLease
	asked []leaseAsk // asks that came while nothing was governed
}

// linger is the time for which a service without tenants still governs after its last lease. The
// next lease then need not wait until the kernel's programs are loaded.
const linger = 5 * time.Second

// asks returns the channel of asks for leases; nil where there are none.
func (s *service) asks() <-chan leaseAsk {
	if s.Leases == nil {
		return nil
	}
	return s.Leases.asks
}

// wanted reports whether there are leases to govern.
func (s *service) wanted() bool { return len(s.leasing.held)+len(s.leasing.asked) > 0 }

// refuseAsked answers the asks for which the service could not begin to govern.
func (s *service) refuseAsked(err error) {
	for _, a := range s.leasing.asked {
		a.answer <- err
	}
	s.leasing.asked = nil
}

// resumeLeases has leases governed after a new beginning: those that were held before it, and those
// that it was made for.
func (s *service) resumeLeases(k *seats, over <-chan struct{}) {
	held := s.leasing.held
	s.leasing.held = nil
	for _, x := range held {
		if err := s.seat(x, k, over); err != nil {
			x.Lost()
			continue
		}
		s.leasing.held = append(s.leasing.held, x)
	}
	asked := s.leasing.asked
	s.leasing.asked = nil
	for _, a := range asked {
		s.lease(a, k, over)
	}
	k.leases = len(s.leasing.held)
}

// lease does what was asked. Without seats nothing is governed.
func (s *service) lease(a leaseAsk, k *seats, over <-chan struct{}) {
	var err error
	switch {
	case !a.back:
		if err = s.seat(a.lease, k, over); err == nil {
			s.leasing.held = append(s.leasing.held, a.lease)
		}
	case slices.Contains(s.leasing.held, a.lease):
		err = s.rise(a.lease, k, over)
	}
	if k != nil {
		k.leases = len(s.leasing.held)
	}
	a.answer <- err
}

// seat has a lease be a tenant. A cgroup that is another tenant's, or lies in one, has none: its
// processes are governed already, by another budget.
func (s *service) seat(x *tenantLease, k *seats, over <-chan struct{}) error {
	if x.Cgroup != nil {
		if !x.Cgroup.Owned(x.User) {
			return fmt.Errorf("%w: its cgroup is gone, or another user's by now", errLeaseEnded)
		}
		in := func(o *tenantLease) bool { // one that has been removed keeps no other from its path
			return o.Cgroup != nil && o.Cgroup.Has(x.Cgroup.Name) && o.Cgroup.Owned(o.User)
		}
		if slices.ContainsFunc(s.leasing.held, in) ||
			covered(x.Cgroup.Name, maps.Values(k.taken)) {
			return fmt.Errorf("%w: its cgroup lies in a tenant's", errLeaseTaken)
		}
	}
	return k.seat(x, over)
}

// covered reports whether a cgroup is that of one of some tenants of the files, or lies in it.
func covered(name string, by iter.Seq[seat]) bool {
	root, err := cgroup.Root()
	if err != nil {
		return false // nor has any of them a cgroup
	}
	for s := range by {
		if cgroup.Within(filepath.Join(root, name), s.location.Dir) {
			return true
		}
	}
	return false
}

// yield ends the leases of cgroups that are tenants' of the files from now on, or lie in one: what
// root's files say comes first.
func (s *service) yield(in []seat, k *seats, over <-chan struct{}) {
	for _, x := range slices.Clone(s.leasing.held) {
		if x.Cgroup == nil || !covered(x.Cgroup.Name, slices.Values(in)) {
			continue
		}
		if err := s.rise(x, k, over); err != nil {
			s.complain("warning: %v", err)
		}
		x.Lost()
	}
}

// rise has a lease be governed no more. Without seats nothing is.
func (s *service) rise(x *tenantLease, k *seats, over <-chan struct{}) error {
	s.leasing.held = slices.DeleteFunc(s.leasing.held, func(o *tenantLease) bool { return o == x })
	if k == nil {
		return nil
	}
	return k.rise(x, over)
}

// look ends leases that are idle, or of cgroups that are gone or another user's by now, and has
// others' processes leave the rest.
func (s *service) look(k *seats, over <-chan struct{}) {
	held := s.leasing.held // nobody changes it meanwhile
	seen := make(chan []units.Instant, 1)
	k.between(func() {
		var ran []units.Instant
		for _, x := range held {
			ran = append(ran, k.host.Ran(x.number))
		}
		seen <- ran
	})
	select {
	case <-over:
		return
	case ran := <-seen:
		now := monotonic.Now()
		for i, x := range held {
			if now.Sub(ran[i]) >= s.Leases.idle || x.Cgroup != nil && !x.Cgroup.Owned(x.User) {
				x.Lost()
			}
		}
	}
	if err := k.host.ExpelOthers(); err != nil {
		s.complain("warning: %v", err)
	}
}

// looking returns a channel that fires when leases are to be checked; nil where there are none.
func (s *service) looking() <-chan time.Time {
	if len(s.leasing.held) == 0 {
		return nil
	}
	return time.After(s.Leases.idle / looks)
}

// unused returns a channel that fires after linger, where there is nothing to govern; otherwise
// nil.
func (s *service) unused(k *seats) <-chan time.Time {
	if len(k.set.Tenants) > 0 || s.wanted() {
		return nil
	}
	return time.After(linger)
}

// seat makes a lease a tenant: first the governors know it, then its threads are followed.
func (s *seats) seat(x *tenantLease, over <-chan struct{}) error {
	i := s.pick(0)
	if i < 0 {
		return errNumbers
	}
	n := s.free[i]
	t := config.Tenant{Name: x.Name, PID: x.PID, Slowdown: x.Slowdown, Budget: true}
	core, err := s.core(&t, n)
	if err != nil {
		return err
	}
	s.give(n)
	made := make(chan error, 1)
	s.between(func() {
		err := s.cores.Add(&core)
		if err == nil {
			s.service.sit(x.Name, &core)
			s.service.pass(n)
			s.host.AddTree(n)
		}
		made <- err
	})
	select {
	case <-over:
		return errServiceEnds
	case err = <-made:
	}
	if err != nil {
		s.free = append(s.free, n)
		return err
	}
	x.number, x.exits = n, s.exiting(n)
	err = x.walks(func() error { return s.attach(x) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errLeaseTaken) && x.Cgroup != nil: // it is followed for another tenant
		s.vacate(x, over)
		return err
	}
	return errors.Join(err, s.rise(x, over))
}

// attach has the lease's threads be the tenant's.
func (s *seats) attach(x *tenantLease) (err error) {
	if x.Cgroup != nil {
		err = s.host.AttachCgroup(x.Cgroup, x.number)
	} else {
		err = s.host.AttachTree(x.PID, x.number, x.User)
	}
	switch {
	case errors.Is(err, bpf.ErrTaken), errors.Is(err, bpf.ErrKernelThread),
		errors.Is(err, bpf.ErrFollowed):
		return fmt.Errorf("%w: %w", errLeaseTaken, err)
	case errors.Is(err, bpf.ErrNoProcess):
		return fmt.Errorf("%w: %w", errLeaseEnded, err)
	}
	return err
}

// release has them be nobody's, or whose a cgroup is.
func (s *seats) release(x *tenantLease) error {
	if x.Cgroup != nil {
		return s.host.ReleaseCgroup(x.Cgroup)
	}
	return s.host.ReleaseTree(x.number)
}

// rise ends a lease's being a tenant. Its threads go first, so that none is governed by a number
// that is nobody's.
func (s *seats) rise(x *tenantLease, over <-chan struct{}) error {
	if x.number == 0 {
		return nil
	}
	err := x.walks(func() error { return s.release(x) })
	s.vacate(x, over)
	return err
}

// vacate has the lease's number be nobody's.
func (s *seats) vacate(x *tenantLease, over <-chan struct{}) {
	n := x.number
	x.number = 0
	made := make(chan struct{})
	s.between(func() {
		s.host.Remove([]arbiter.Tenant{n})
		s.cores.Remove(n)
		s.service.leave(n)
		close(made)
	})
	select {
	case <-over:
	case <-made:
		s.free = append(s.free, n)
	}
}

// Walked returns the CPU time that walks over the machine's threads have taken for the lease.
func (l *tenantLease) Walked() time.Duration { return time.Duration(l.walked.Load()) }

// charge adds the time of a walk.
func (l *tenantLease) charge(walk time.Duration) { l.walked.Add(int64(walk)) }

// walks runs a walk and charges the lease with its time.
func (l *tenantLease) walks(walk func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	err := walk()
	l.charge(threadTime() - before)
	return err
}

// threadTime returns the calling thread's CPU time. Every kernel has this clock.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
