package bpf

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"
)

// mostWalks bounds the walks over all threads by which a user's tree is found and given up, because
// a user can make it grow without an end.
const mostWalks = 16

// AttachOwned follows a process, its threads and its descendants for a tenant, at a user's request.
// It follows only processes with this user's rights alone; root's tree may have anybody's. A
// process leaves the tree when it executes a program that gives it other rights. The error is
// ErrTaken for another user's process, and for a process of another tenant, also by its cgroup. A
// thread that keeps its CPU is followed once it stops.
//
// It is called on one goroutine, which need not be that of Next.
func (t *Tracer) AttachOwned(pid int, tenant uint16, user uint32) error {
	if err := t.checkTenant(tenant); err != nil {
		return fmt.Errorf("attach to process %d for tenant %d: %w", pid, tenant, err)
	}
	t.shared.belongs(tenant, uint64(user)+1)
	return t.attachTo(pid, tenant, true)
}

// Expel takes processes out of the trees of AttachOwned that have got another user's rights by a
// system call. A program that gives rights is seen when it is executed. Expel walks over all
// threads, and is called on AttachOwned's goroutine.
func (t *Tracer) Expel() error {
	if err := t.look(); err != nil {
		return fmt.Errorf("look for other users' processes: %w", err)
	}
	return nil
}

// Release ends what AttachOwned began: the threads then belong to the tenant of their cgroup, or to
// nobody. It is called on AttachOwned's goroutine.
func (t *Tracer) Release(tenant uint16) error {
	some, err := t.release(tenant)
	if err != nil {
		return fmt.Errorf("stop to follow a tree of processes: %w", err)
	}
	if !some {
		return nil
	}
	return visitCPUs() // a thread that keeps its CPU stays followed until it stops
}

// AttachGroup gives a tenant the threads in a cgroup and below it, as Follow does, whoever's
// processes they are. It is called on AttachOwned's goroutine.
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

// release gives up a tenant's tree, and reports whether it had a thread.
func (t *Tracer) release(tenant uint16) (some bool, err error) {
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.SettleAll})
	if err != nil {
		return false, err
	}
	defer iter.Close()
	defer t.shared.walking()()
	defer func() { err = errors.Join(err, t.objects.Felled.Set(uint32(0))) }()
	for range mostWalks {
		// A thread that is not reached yet may create others, also where the walk has passed.
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
