package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor/arbiter"
	"github.com/ebb-energy/ebb/internal/app/config"
	"github.com/ebb-energy/ebb/units"
)

// Lease has a user's tree of processes be a tenant for as long as somebody holds it.
type Lease struct {
	Name     string
	PID      int
	User     uint32
	Slowdown units.Slowdown
	// Lost is called where it is governed no more, although it is held. It must not wait.
	Lost func()

	number arbiter.Tenant // 0: it is not governed now
}

// Leases hands leases to a service's goroutine. Its methods may be called from any other.
type Leases struct{ asks chan leaseAsk }

// NewLeases makes one.
func NewLeases() *Leases { return &Leases{make(chan leaseAsk)} }

// leaseAsk asks for a lease, or gives it back.
type leaseAsk struct {
	lease  *Lease
	back   bool
	answer chan error // has room for one
}

// Errors of Take. They come wrapped.
var (
	// ErrServiceEnds: the service took no lease before it ended.
	ErrServiceEnds = errors.New("the service ends")
	// ErrLeaseTaken: the process is a tenant already, or another user's.
	ErrLeaseTaken = errors.New("the process can have no lease")
	// ErrLeaseEnded: there is no such process any more.
	ErrLeaseEnded = errors.New("the process has ended")
)

// Take has a lease be governed, and returns when it is. The context is the service's.
func (l *Leases) Take(ctx context.Context, x *Lease) error { return l.ask(ctx, x, false) }

// GiveBack has it be governed no more.
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

// leasing is what a service has of its leases. It is for the goroutine that reloads, and while none
// does for the service's own.
type leasing struct {
	held  []*Lease
	asked []leaseAsk // that came while nothing was governed
}

// linger is the time for which a service without tenants governs on after its last lease: another
// then need not wait until the kernel's programs are loaded.
const linger = 5 * time.Second

// asks is where leases are asked for; nil where there are none.
func (v *service) asks() <-chan leaseAsk {
	if v.Leases == nil {
		return nil
	}
	return v.Leases.asks
}

// wanted reports whether leases are to be governed.
func (v *service) wanted() bool { return len(v.leasing.held)+len(v.leasing.asked) > 0 }

// refuseAsked has those hear that wait for a lease which the service could not begin to govern for.
func (v *service) refuseAsked(err error) {
	for _, a := range v.leasing.asked {
		a.answer <- err
	}
	v.leasing.asked = nil
}

// resumeLeases has the leases be governed that a new beginning found: those that were there before
// it, and those that it was made for.
func (v *service) resumeLeases(k *seats, over <-chan struct{}) {
	held := v.leasing.held
	v.leasing.held = nil
	for _, x := range held {
		if err := k.seat(x, over); err != nil {
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

// lease does what was asked for. Without seats nothing is governed.
func (v *service) lease(a leaseAsk, k *seats, over <-chan struct{}) {
	var err error
	switch i := slices.Index(v.leasing.held, a.lease); {
	case !a.back:
		if err = k.seat(a.lease, over); err == nil {
			v.leasing.held = append(v.leasing.held, a.lease)
		}
	case i >= 0:
		v.leasing.held = slices.Delete(v.leasing.held, i, i+1)
		if k != nil {
			err = k.rise(a.lease, over)
		}
	}
	if k != nil {
		k.leases = len(v.leasing.held)
	}
	a.answer <- err
}

// unused returns after a while in which nothing is to be governed; nil where something is.
func (v *service) unused(k *seats) <-chan time.Time {
	if len(k.set.Tenants) > 0 || v.wanted() {
		return nil
	}
	return time.After(linger)
}

// seat has a lease be a tenant: first the governors know it, then its threads are followed.
func (k *seats) seat(x *Lease, over <-chan struct{}) error {
	if len(k.free) == 0 {
		return errNumbers
	}
	n := k.free[0]
	t := config.Tenant{Name: x.Name, PID: x.PID, Slowdown: x.Slowdown, Budget: true}
	core, err := k.core(&t, n)
	if err != nil {
		return err
	}
	k.free = k.free[1:]
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
	x.number = n
	if err := k.all.host.AttachTree(x.PID, n, x.User); err != nil {
		switch {
		case errors.Is(err, bpf.ErrTaken), errors.Is(err, bpf.ErrKernelThread):
			err = fmt.Errorf("%w: %w", ErrLeaseTaken, err)
		case errors.Is(err, bpf.ErrNoProcess):
			err = fmt.Errorf("%w: %w", ErrLeaseEnded, err)
		}
		return errors.Join(err, k.rise(x, over))
	}
	return nil
}

// rise has a lease be no tenant any more: its threads first, so that none is governed by a number
// that is nobody's.
func (k *seats) rise(x *Lease, over <-chan struct{}) error {
	n := x.number
	if n == 0 {
		return nil
	}
	x.number = 0
	err := k.all.host.ReleaseTree(n)
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
	return err
}
