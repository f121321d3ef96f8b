package bpf

import (
	"errors"
	"fmt"
	"time"

	"github.com/cilium/ebpf/link"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/units"
)

// FollowCgroup follows the processes that are in the cgroup of the configuration or below it, and
// from now on those that are created there or moved there. It stops following one that is moved
// out.
//
// A cgroup's id is its directory's inode number and stays its own: another cgroup of the same name
// has another id. Kernel threads and the calling process are never followed.
func (t *Tracer) FollowCgroup() error {
	if err := t.follow(t.cgroup, 0); err != nil {
		return fmt.Errorf("follow a cgroup: %w", err)
	}
	return nil
}

// Settle looks after processes that were moved into a tenant's cgroup, or out of it, since the last
// call: all their threads, where the kernel reported only the first. A move rings the bell, so call
// Settle after Next; moves until the next walk have one bell. Where nothing was moved it costs no
// system call.
//
// A user who may move a process there, as a tenant's own, can do so all the time. So Settle has a
// pace: what it finds too soon it leaves to a later call, for which Next returns.
func (t *Tracer) Settle() error {
	if !t.owes && t.shared.moveCount() == t.settled {
		return nil
	}
	err := t.later(t.pace.left(monotonic.Now()))
	if err != nil {
		return fmt.Errorf("follow what was moved between cgroups: %w", err)
	}
	return nil
}

// later walks after a time; then Next returns, and Settle is called again.
func (t *Tracer) later(wait time.Duration) error {
	if wait > 0 {
		return t.bell.until(time.Now().Add(wait))
	}
	return t.settle()
}

// Walks is the number of walks over all threads that looked after moves. Any goroutine may call it.
func (t *Tracer) Walks() uint64 { return t.walked.Load() }

// Owe has the next Settle walk over all threads, as Walk does. It is for those who call Enter while
// Settle is called.
func (t *Tracer) Owe() { t.owes = true }

func (t *Tracer) settle() error {
	began := monotonic.Now()
	// Before the walk, which may miss a move during it.
	t.owes, t.settled = false, t.shared.takeMoves()
	t.walked.Add(1)
	if err := t.look(); err != nil {
		return err
	}
	now := monotonic.Now()
	t.pace.took(began, now)
	if t.shared.moveCount() == t.settled {
		return nil
	}
	// It is looked after when that may be, whether its bell was heard or not.
	return t.later(t.pace.left(now))
}

// look has each thread be whose it is, also one that keeps its CPU. Any goroutine may call it.
func (t *Tracer) look() error {
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.SettleAll})
	if err != nil {
		return loadError("attach to the task iterator", err)
	}
	over := t.shared.walking()
	err = walk(iter)
	over()
	if err := errors.Join(err, iter.Close()); err != nil {
		return err
	}
	return visitCPUs()
}

// The pace of walks over all threads: they are made where others' decisions wait for them, for
// users who may move processes as often as they like.
const (
	walkEvery = 100 * time.Millisecond // from a walk's end to the next one
	walkShare = 20                     // the pause is at least so many times as long as the walk
)

// pace says when the next walk may be.
type pace struct{ next units.Instant }

// left is the time until then.
func (p *pace) left(now units.Instant) time.Duration { return max(p.next.Sub(now), 0) }

// took enters a walk.
func (p *pace) took(from, to units.Instant) {
	p.next = to.Add(max(walkEvery, walkShare*to.Sub(from)))
}
