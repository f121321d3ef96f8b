package bpf

import (
	"fmt"
	"math"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// maxNames bounds the threads whose ids in two PID namespaces are kept.
const maxNames = 1 << 15

// The ways to ask for an id, as in enum way in names.h.
const (
	ownOfFirst = iota + 1
	firstOfOwn
)

// nameKey has the layout of struct name.
type nameKey struct{ Way, ID uint32 }

// spaces describes the namespaces in which ebb runs. The programs see the machine's first ones.
type spaces struct {
	pids  uint32 // inode number of ebb's PID namespace; 0: it is the first
	ownID int    // ebb's process id in the first namespace
}

// lookAtSpaces returns ebb's namespaces, and an error for those in which ebb's figures would be
// wrong.
func lookAtSpaces() (s spaces, err error) {
	if s.pids, s.ownID, err = proc.PIDNamespace(); err == nil {
		err = proc.CheckClock()
	}
	if err != nil {
		return s, loadError("trace the scheduler", err)
	}
	return s, nil
}

// configure sets what the programs must know of the namespaces.
func (s spaces) configure(spec *ebpf.CollectionSpec) error {
	if s.pids != 0 {
		spec.Maps["names"].MaxEntries = 2 * maxNames
	}
	for name, value := range map[string]any{"own_tgid": int32(s.ownID), "own_namespace": s.pids} {
		if err := spec.Variables[name].Set(value); err != nil {
			return fmt.Errorf("set %s of the BPF programs: %w", name, err)
		}
	}
	return nil
}

// OwnID returns the id that a followed thread has in ebb's own PID namespace, by which /proc and
// the kernel's calls know it. Everywhere else ebb knows threads by their ids in the machine's first
// namespace. If ebb is in that one, the two are the same. OwnID returns 0 for a thread that was
// never followed, that ended long ago, or that has no id there.
func (t *Tracer) OwnID(id epochs.TID) int {
	if t.spaces.pids == 0 {
		return int(id)
	}
	return t.name(ownOfFirst, int(id))
}

// FirstID is the inverse of OwnID.
func (t *Tracer) FirstID(own int) epochs.TID {
	if t.spaces.pids == 0 {
		return epochs.TID(own)
	}
	return epochs.TID(t.name(firstOfOwn, own))
}

func (t *Tracer) name(way uint32, id int) int {
	if id <= 0 || id > math.MaxInt32 {
		return 0
	}
	var found uint32
	if t.objects.Names.Lookup(nameKey{way, uint32(id)}, &found) != nil {
		return 0
	}
	return int(found)
}
