package bpf

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// Bounds of the tenants. MaxTenants is MAX_TENANTS of events.h.
const (
	// MaxTenants is the highest number of a tenant.
	MaxTenants = 4096
	// MaxCgroups is the most cgroups that are followed at one time.
	MaxCgroups = 4096
)

// Errors of Follow and AttachTenant. They are wrapped.
var (
	// ErrFollowed says that a tenant has the cgroup already.
	ErrFollowed = errors.New("it is followed already")
	// ErrTooMany says that MaxCgroups are followed.
	ErrTooMany = fmt.Errorf("%d cgroups are followed, and no more can be", MaxCgroups)
	// ErrNoTenants says that the Tracer was opened without Config.Tenants, or that the number is no
	// tenant's.
	ErrNoTenants = fmt.Errorf("tenants have the numbers from 1 to %d, where several are traced",
		MaxTenants)
	// ErrOtherTree says that the process belongs to another tenant, by itself or by an ancestor.
	ErrOtherTree = errors.New("it is in another tenant's tree of processes")
	// ErrTaken says that the process belongs to another tenant in whatever way, or is another
	// user's.
	ErrTaken = errors.New("it is a tenant's already, or another user's")
)

// Follow gives a tenant the threads in a cgroup (version 2) and below it, and those that are
// created there or moved there later. A cgroup below that is followed as well keeps its own
// threads: the nearest followed cgroup above a thread counts. A thread of a tree of processes (see
// AttachTenant) is the tree's in whatever cgroup it is. A tenant may have several cgroups.
//
// A thread that goes from one tenant to another has an Exit and totals with the old one and a Fork
// by NoThread with the new one. It remains the old one's until it next stops or runs; Follow makes
// those that keep a CPU stop. A thread that is exiting stays with the old one.
//
// The id is never another cgroup's, and an entry is removed with its cgroup. The cgroup's directory
// must be open during the call, and Unfollow must be called if the cgroup has been removed
// meanwhile.
func (t *Tracer) Follow(cgroup uint64, tenant uint16) error {
	err := t.checkTenant(tenant)
	if err == nil {
		err = t.follow(cgroup, tenant)
	}
	if err != nil {
		return fmt.Errorf("follow a cgroup for tenant %d: %w", tenant, err)
	}
	return nil
}

// Enter begins what Follow does, for many cgroups at once: threads that are created there later are
// followed. Walk then takes in the threads that these cgroups already had.
func (t *Tracer) Enter(cgroup uint64, tenant uint16) error {
	err := t.checkTenant(tenant)
	if err == nil {
		err = t.enter(cgroup, tenant)
	}
	if err != nil {
		return fmt.Errorf("follow a cgroup for tenant %d: %w", tenant, err)
	}
	return nil
}

// Leave undoes an Enter: of a cgroup that has been removed and so has no thread, or before a walk.
func (t *Tracer) Leave(cgroup uint64) error {
	err := t.objects.Tenants.Delete(cgroup)
	if err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
		return fmt.Errorf("stop to follow a cgroup that was removed: %w", err)
	}
	return nil
}

// Walk completes what Enter began. It walks over all threads of the machine once.
func (t *Tracer) Walk() error {
	if err := t.takeMoves(); err != nil {
		return fmt.Errorf("follow the threads in tenants' cgroups: %w", err)
	}
	return nil
}

func (t *Tracer) checkTenant(tenant uint16) error {
	if !t.many || tenant == 0 || tenant > MaxTenants {
		return ErrNoTenants
	}
	return nil
}

func (t *Tracer) enter(cgroup uint64, tenant uint16) error {
	err := t.objects.Tenants.Update(cgroup, uint32(tenant), ebpf.UpdateNoExist)
	switch {
	case errors.Is(err, ebpf.ErrKeyExist):
		return ErrFollowed
	case errors.Is(err, unix.E2BIG):
		return ErrTooMany
	}
	return err
}

func (t *Tracer) follow(cgroup uint64, tenant uint16) error {
	if err := t.enter(cgroup, tenant); err != nil {
		return err
	}
	if err := t.takeMoves(); err != nil {
		return errors.Join(err, t.objects.Tenants.Delete(cgroup))
	}
	return nil
}

// Unfollow ends what Follow began. Threads in the cgroup then belong to the tenant of the nearest
// followed cgroup above, or to nobody. It does nothing for a cgroup that is not followed, such as
// one that has been removed.
func (t *Tracer) Unfollow(cgroup uint64) error {
	err := t.objects.Tenants.Delete(cgroup)
	if errors.Is(err, ebpf.ErrKeyNotExist) {
		return nil
	}
	if err == nil {
		err = t.takeMoves()
	}
	if err != nil {
		return fmt.Errorf("stop to follow a cgroup: %w", err)
	}
	return nil
}

// AttachTenant does what Attach does, for a tenant. It takes the process, with its threads and
// descendants, from the tenant of its cgroup, because a process is the narrower choice: they stay
// with the tenant wherever they are moved. The error is ErrOtherTree for a process in another
// tenant's tree. Descendants of the process that are in one stay there.
func (t *Tracer) AttachTenant(pid int, tenant uint16) error {
	if err := t.checkTenant(tenant); err != nil {
		return fmt.Errorf("attach to process %d for tenant %d: %w", pid, tenant, err)
	}
	t.shared.belongs(tenant, 0)
	if err := t.attachTo(pid, tenant, false); err != nil {
		return err
	}
	return visitCPUs()
}

// TenantExited does what Exited does, for the threads of one tenant.
func (t *Tracer) TenantExited(tenant uint16, d time.Duration) bool {
	const step = 50 * time.Microsecond
	for until := time.Now().Add(d); t.shared.exiting(tenant) > 0; time.Sleep(step) {
		if !time.Now().Before(until) {
			return false
		}
	}
	return true
}

// Foreign returns the time, by CPU, for which threads ran since the Tracer was opened that are no
// tenant's, nor idle's, nor this process's. It returns nil without Config.Tenants. A thread that
// becomes a tenant's while it runs counts until it stops.
func (t *Tracer) Foreign() ([]time.Duration, error) {
	if !t.many {
		return nil, nil
	}
	times := make([]time.Duration, t.objects.Foreigners.MaxEntries())
	for cpu := range times {
		var f foreign
		if err := t.objects.Foreigners.Lookup(uint32(cpu), &f); err != nil {
			return nil, fmt.Errorf("read the time of threads that are no tenant's: %w", err)
		}
		times[cpu] = f.Time
		if now := monotonic.Now(); f.From != 0 && now > f.From {
			times[cpu] += now.Sub(f.From)
		}
	}
	return times, nil
}

// foreign has the layout of struct foreign.
type foreign struct {
	Time time.Duration
	From units.Instant
	_    [6]uint64
}
