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
// those that are created there or moved there later. It stops following one that is moved out.
//
// A cgroup's id is its directory's inode number and remains its own: another cgroup of the same
// name has another id. Kernel threads and the calling process are never followed.
func (t *Tracer) FollowCgroup() error {
	if err := t.follow(t.cgroup, 0); err != nil {
		return fmt.Errorf("follow a cgroup: %w", err)
	}
	return nil
}

// TakeMoves handles the processes that were moved into a tenant's cgroup, or out of it, since the
// last call. It follows all their threads, while the kernel reported only the first. A move rings
// the bell, so call TakeMoves after Next; all moves until the next walk have one bell. If nothing
// was moved it makes no system call.
//
// A user who may move processes there, such as a tenant's own, can do so all the time. So TakeMoves
// has a pace: what comes too soon waits for a later call, for which Next returns.
func (t *Tracer) TakeMoves() error {
	if !t.owes && t.shared.moveCount() == t.taken {
		return nil
	}
	err := t.later(t.pace.left(monotonic.Now()))
	if err != nil {
		return fmt.Errorf("follow what was moved between cgroups: %w", err)
	}
	return nil
}

// later walks at once if wait is 0. Otherwise it makes Next return after wait, so that TakeMoves is
// called again.
func (t *Tracer) later(wait time.Duration) error {
	if wait > 0 {
		return t.bell.until(time.Now().Add(wait))
	}
	return t.takeMoves()
}

// Walks returns the number of walks over all threads that handled moves. Any goroutine may call it.
func (t *Tracer) Walks() uint64 { return t.walked.Load() }

// Owe makes the next TakeMoves walk over all threads, as Walk does. It is for callers of Enter that
// do not walk themselves.
func (t *Tracer) Owe() { t.owes = true }

func (t *Tracer) takeMoves() error {
	began := monotonic.Now()
	// This comes before the walk, which may miss a move during it.
	t.owes, t.taken = false, t.shared.takeMoves()
	t.walked.Add(1)
	if err := t.look(); err != nil {
		return err
	}
	now := monotonic.Now()
	t.pace.took(began, now)
	if t.shared.moveCount() == t.taken {
		return nil
	}
	// The new moves are handled when the pace allows it, whether their bell was heard or not.
	return t.later(t.pace.left(now))
}

// look makes each thread its tenant's, also one that keeps its CPU. Any goroutine may call it.
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

// Bounds of the pace of walks over all threads. The walks delay others' decisions, and users may
// move processes as often as they like.
const (
	walkEvery = 100 * time.Millisecond // least time from a walk's end to the next walk
	walkShare = 20                     // least ratio of the pause to the walk
)

// pace is the time of the next walk.
type pace struct{ next units.Instant }

// left returns the time until the next walk.
func (p *pace) left(now units.Instant) time.Duration { return max(p.next.Sub(now), 0) }

// took notes a walk, after which the pause begins.
func (p *pace) took(from, to units.Instant) {
	p.next = to.Add(max(walkEvery, walkShare*to.Sub(from)))
}
