package run

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

// Lease has a user's tree of processes be a tenant, or a user's cgroup, for as long as somebody
// holds it.
type Lease struct {
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

// Leases hands leases to a service's goroutine. Its methods may be called from any other.
type Leases struct {
	asks chan leaseAsk
	idle time.Duration // time without running after which a lease ends
}

// idleLease is the time after which a lease ends whose processes have not run. The service would
// govern for nobody, with the clocks where the lease wishes them.
const idleLease = 10 * time.Minute

// looks is the number of checks in idleLease whether a lease is idle.
const looks = 10

// NewLeases returns a new Leases.
func NewLeases() *Leases { return &Leases{make(chan leaseAsk), idleLease} }

// leaseAsk asks for a lease, or gives one back.
type leaseAsk struct {
	lease  *Lease
	back   bool
	answer chan error // has room for one
}

// Errors of Take. They come wrapped.
var (
	// ErrServiceEnds: the service took no lease before it ended.
	ErrServiceEnds = errors.New("the service ends")
	// ErrLeaseTaken: the process or cgroup is a tenant's already, or the process another user's.
	ErrLeaseTaken = errors.New("there can be no lease of it")
	// ErrLeaseEnded: there is no such process or cgroup any more.
	ErrLeaseEnded = errors.New("it has ended")
)

// Exits reports whether threads of a lease that was given back still exit.
func (l *Leases) Exits(x *Lease) bool { return x.exits != nil && x.exits() }

// Take asks for a lease to be governed, and returns when it is. The context is the service's.
func (l *Leases) Take(ctx context.Context, x *Lease) error { return l.ask(ctx, x, false) }

// GiveBack ends the governing of a lease.
func (l *Leases) GiveBack(ctx context.Context, x *Lease) error { return l.ask(ctx, x, true) }

func (l *Leases) ask(ctx context.Context, x *Lease, back bool) error {
	a := leaseAsk{x, back, make(chan error, 1)}
	select {
	case l.asks <- a:
	case <-ctx.Done():
		return ErrServiceEnds
	}
	select {
	case err := <-a.answer:
		return err
	case <-ctx.Done():
		return ErrServiceEnds
	}
}

// leasing has the leases of a service. It is for the goroutine that reloads, and while there is
// none for the service's own.
type leasing struct {
	held  []*Lease
	asked []leaseAsk // asks that came while nothing was governed
}

// linger is the time for which a service without tenants still governs after its last lease. The
// next lease then need not wait until the kernel's programs are loaded.
const linger = 5 * time.Second

// asks returns the channel of asks for leases; nil where there are none.
func (v *service) asks() <-chan leaseAsk {
	if v.Leases == nil {
		return nil
	}
	return v.Leases.asks
}

// wanted reports whether there are leases to govern.
func (v *service) wanted() bool { return len(v.leasing.held)+len(v.leasing.asked) > 0 }

// refuseAsked answers the asks for which the service could not begin to govern.
func (v *service) refuseAsked(err error) {
	for _, a := range v.leasing.asked {
		a.answer <- err
	}
	v.leasing.asked = nil
}

// resumeLeases has leases governed after a new beginning: those that were held before it, and those
// that it was made for.
func (v *service) resumeLeases(k *seats, over <-chan struct{}) {
	held := v.leasing.held
	v.leasing.held = nil
	for _, x := range held {
		if err := v.seat(x, k, over); err != nil {
			x.Lost()
			continue
		}
		v.leasing.held = append(v.leasing.held, x)
	}
	asked := v.leasing.asked
	v.leasing.asked = nil
	for _, a := range asked {
		v.lease(a, k, over)
	}
	k.leases = len(v.leasing.held)
}

// lease does what was asked. Without seats nothing is governed.
func (v *service) lease(a leaseAsk, k *seats, over <-chan struct{}) {
	var err error
	switch {
	case !a.back:
		if err = v.seat(a.lease, k, over); err == nil {
			v.leasing.held = append(v.leasing.held, a.lease)
		}
	case slices.Contains(v.leasing.held, a.lease):
		err = v.rise(a.lease, k, over)
	}
	if k != nil {
		k.leases = len(v.leasing.held)
	}
	a.answer <- err
}

// seat has a lease be a tenant. A cgroup that is another tenant's, or lies in one, has none: its
// processes are governed already, by another budget.
func (v *service) seat(x *Lease, k *seats, over <-chan struct{}) error {
	if x.Cgroup != nil {
		if !x.Cgroup.Owned(x.User) {
			return fmt.Errorf("%w: its cgroup is gone, or another user's by now", ErrLeaseEnded)
		}
		in := func(o *Lease) bool { // one that has been removed keeps no other from its path
			return o.Cgroup != nil && o.Cgroup.Has(x.Cgroup.Name) && o.Cgroup.Owned(o.User)
		}
		if slices.ContainsFunc(v.leasing.held, in) ||
			covered(x.Cgroup.Name, maps.Values(k.taken)) {
			return fmt.Errorf("%w: its cgroup lies in a tenant's", ErrLeaseTaken)
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
		if cgroup.Within(filepath.Join(root, name), s.place.Dir) {
			return true
		}
	}
	return false
}

// yield ends the leases of cgroups that are tenants' of the files from now on, or lie in one: what
// root's files say comes first.
func (v *service) yield(in []seat, k *seats, over <-chan struct{}) {
	for _, x := range slices.Clone(v.leasing.held) {
		if x.Cgroup == nil || !covered(x.Cgroup.Name, slices.Values(in)) {
			continue
		}
		if err := v.rise(x, k, over); err != nil {
			v.complain("warning: %v", err)
		}
		x.Lost()
	}
}

// rise has a lease be governed no more. Without seats nothing is.
func (v *service) rise(x *Lease, k *seats, over <-chan struct{}) error {
	v.leasing.held = slices.DeleteFunc(v.leasing.held, func(o *Lease) bool { return o == x })
	if k == nil {
		return nil
	}
	return k.rise(x, over)
}

// look ends leases that are idle, or of cgroups that are gone or another user's by now, and has
// others' processes leave the rest.
func (v *service) look(k *seats, over <-chan struct{}) {
	held := v.leasing.held // nobody changes it meanwhile
	seen := make(chan []units.Instant, 1)
	k.all.host.Between(func() {
		var ran []units.Instant
		for _, x := range held {
			ran = append(ran, k.all.host.Ran(x.number))
		}
		seen <- ran
	})
	select {
	case <-over:
		return
	case ran := <-seen:
		now := monotonic.Now()
		for i, x := range held {
			if now.Sub(ran[i]) >= v.Leases.idle || x.Cgroup != nil && !x.Cgroup.Owned(x.User) {
				x.Lost()
			}
		}
	}
	if err := k.all.host.ExpelOthers(); err != nil {
		v.complain("warning: %v", err)
	}
}

// looking returns a channel that fires when leases are to be checked; nil where there are none.
func (v *service) looking() <-chan time.Time {
	if len(v.leasing.held) == 0 {
		return nil
	}
	return time.After(v.Leases.idle / looks)
}

// unused returns a channel that fires after linger, where there is nothing to govern; otherwise
// nil.
func (v *service) unused(k *seats) <-chan time.Time {
	if len(k.set.Tenants) > 0 || v.wanted() {
		return nil
	}
	return time.After(linger)
}

// seat makes a lease a tenant: first the governors know it, then its threads are followed.
func (k *seats) seat(x *Lease, over <-chan struct{}) error {
	i := k.pick(0)
	if i < 0 {
		return errNumbers
	}
	n := k.free[i]
	t := config.Tenant{Name: x.Name, PID: x.PID, Slowdown: x.Slowdown, Budget: true}
	core, err := k.core(&t, n)
	if err != nil {
		return err
	}
	k.give(n)
	made := make(chan error, 1)
	k.all.host.Between(func() {
		err := k.all.cores.Add(&core)
		if err == nil {
			k.run.settings.Tenants.Service.sit(x.Name, &core)
			k.run.settings.Tenants.Service.pass(n)
			k.all.host.AddTree(n)
		}
		made <- err
	})
	select {
	case <-over:
		return ErrServiceEnds
	case err = <-made:
	}
	if err != nil {
		k.free = append(k.free, n)
		return err
	}
	x.number, x.exits = n, k.exiting(n)
	err = x.walks(func() error { return k.attach(x) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrLeaseTaken) && x.Cgroup != nil: // it is followed for another tenant
		k.vacate(x, over)
		return err
	}
	return errors.Join(err, k.rise(x, over))
}

// attach has the lease's threads be the tenant's.
func (k *seats) attach(x *Lease) (err error) {
	if x.Cgroup != nil {
		err = k.all.host.AttachCgroup(x.Cgroup, x.number)
	} else {
		err = k.all.host.AttachTree(x.PID, x.number, x.User)
	}
	switch {
	case errors.Is(err, bpf.ErrTaken), errors.Is(err, bpf.ErrKernelThread),
		errors.Is(err, bpf.ErrFollowed):
		return fmt.Errorf("%w: %w", ErrLeaseTaken, err)
	case errors.Is(err, bpf.ErrNoProcess):
		return fmt.Errorf("%w: %w", ErrLeaseEnded, err)
	}
	return err
}

// release has them be nobody's, or whose a cgroup is.
func (k *seats) release(x *Lease) error {
	if x.Cgroup != nil {
		return k.all.host.ReleaseCgroup(x.Cgroup)
	}
	return k.all.host.ReleaseTree(x.number)
}

// rise ends a lease's being a tenant. Its threads go first, so that none is governed by a number
// that is nobody's.
func (k *seats) rise(x *Lease, over <-chan struct{}) error {
	if x.number == 0 {
		return nil
	}
	err := x.walks(func() error { return k.release(x) })
	k.vacate(x, over)
	return err
}

// vacate has the lease's number be nobody's.
func (k *seats) vacate(x *Lease, over <-chan struct{}) {
	n := x.number
	x.number = 0
	made := make(chan struct{})
	k.all.host.Between(func() {
		k.all.host.Remove([]arbiter.Tenant{n})
		k.all.cores.Remove(n)
		k.run.settings.Tenants.Service.leave(n)
		close(made)
	})
	select {
	case <-over:
	case <-made:
		k.free = append(k.free, n)
	}
}

// Walked returns the CPU time that walks over the machine's threads have taken for the lease.
func (x *Lease) Walked() time.Duration { return time.Duration(x.walked.Load()) }

// Charge adds the time of a walk.
func (x *Lease) Charge(walk time.Duration) { x.walked.Add(int64(walk)) }

// walks runs a walk and charges the lease with its time.
func (x *Lease) walks(walk func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	err := walk()
	x.Charge(threadTime() - before)
	return err
}

// threadTime returns the calling thread's CPU time. Every kernel has this clock.
func threadTime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
