package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"
)

// mostWalks bounds the walks over all threads by which a tree of a user's is found and given up: a
// user can have it grow without an end.
const mostWalks = 16

// AttachOwned follows a process, its threads and its descendants for a tenant, as a user asks for:
// those alone that are this user's, of nobody else's rights. A process leaves the tree when it
// executes a program that has another's; root's tree has anybody's. The error is ErrTaken for a
// process of another tenant's, also by its cgroup, and for another user's. Threads that keep a CPU
// are followed from where they stop.
//
// It is for one goroutine, which may be another one than Next's.
func (t *Tracer) AttachOwned(pid int, tenant uint16, user uint32) error {
	if err := t.checkTenant(tenant); err != nil {
		return fmt.Errorf("attach to process %d for tenant %d: %w", pid, tenant, err)
	}
	t.shared.belongs(tenant, uint64(user)+1)
	return t.attachTo(pid, tenant, true)
}

// Expel has processes leave the trees of AttachOwned that have another user's rights by a system
// call. A program that gives rights is seen as it is executed. It is for AttachOwned's goroutine,
// and walks over all threads.
func (t *Tracer) Expel() error {
	if err := t.look(); err != nil {
		return fmt.Errorf("look for other users' processes: %w", err)
	}
	return nil
}

// Release ends what AttachOwned began: the threads are then the tenant's whose their cgroup is, or
// nobody's. It is for AttachOwned's goroutine.
func (t *Tracer) Release(tenant uint16) error {
	some, err := t.release(tenant)
	if err != nil {
		return fmt.Errorf("stop to follow a tree of processes: %w", err)
	}
	if !some {
		return nil
	}
	return visitCPUs() // one that keeps its CPU stays until it stops
}

// AttachGroup has a tenant be whose the threads are that are in a cgroup or below it, as Follow
// does, on AttachOwned's goroutine. Whoever's processes are there count.
func (t *Tracer) AttachGroup(cgroup uint64, tenant uint16) error {
	err := t.checkTenant(tenant)
	if err == nil {
		t.shared.belongs(tenant, 0)
		err = t.enter(cgroup, tenant)
	}
	if err == nil {
		if err = t.look(); err != nil {
			err = errors.Join(err, t.Leave(cgroup))
		}
	}
	if err != nil {
		return fmt.Errorf("attach to a cgroup for tenant %d: %w", tenant, err)
	}
	return nil
}

// ReleaseGroup ends what AttachGroup began, on the same goroutine.
func (t *Tracer) ReleaseGroup(cgroup uint64) error {
	if err := errors.Join(t.Leave(cgroup), t.look()); err != nil {
		return fmt.Errorf("stop to follow a cgroup: %w", err)
	}
	return nil
}

// release reports whether there was any.
func (t *Tracer) release(tenant uint16) (some bool, err error) {
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.SettleAll})
	if err != nil {
		return false, err
	}
	defer iter.Close()
	defer t.shared.walking()()
	defer func() { err = errors.Join(err, t.objects.Felled.Set(uint32(0))) }()
	for range mostWalks {
		// A thread that is not reached yet may create others, also ones that the walk has passed.
		if err := errors.Join(t.objects.Felled.Set(uint32(tenant)),
			t.objects.FelledThreads.Set(uint32(0)), walk(iter)); err != nil {
			return some, err
		}
		var found uint32
		if err := t.objects.FelledThreads.Get(&found); err != nil || found == 0 {
			return some, err
		}
		some = true
	}
	return some, nil
}
