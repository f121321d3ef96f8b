package bpf

import (
	"fmt"

	"github.com/cilium/ebpf/link"
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
// Settle after Next. Where nothing was moved it costs no system call.
func (t *Tracer) Settle() error {
	if t.shared.moveCount() == t.settled {
		return nil
	}
	if err := t.settle(); err != nil {
		return fmt.Errorf("follow what was moved between cgroups: %w", err)
	}
	return nil
}

func (t *Tracer) settle() error {
	t.settled = t.shared.moveCount() // before the walk: a move during it may be missed
	iter, err := link.AttachIter(link.IterOptions{Program: t.objects.SettleAll})
	if err != nil {
		return loadError("attach to the task iterator", err)
	}
	defer iter.Close()
	if err := walk(iter); err != nil {
		return err
	}
	return visitCPUs()
}
