package attribution

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/units"
)

// Named is a thread as the kernel knows it, or one of its stays in the target's cgroup.
type Named struct {
	TID, PID int32
	InnerTID int32 // its id in its own PID namespace; 0: that is the machine's first one
	Comm     string
	Ended    units.Instant // 0: it lives
	// Created separates stays of one thread from other threads that had its id, which have another
	// Created. 0: not known.
	Created units.Instant
}

// threads lists the threads that have an entry or ran, and returns the index of each.
func (a *Attributor) threads(p *profile.Profile, named []Named) map[epochs.TID]int {
	all := map[epochs.TID]profile.Thread{}
	for t, m := range a.people.all {
		all[t] = profile.Thread{TID: int32(t), PID: int32(m.pid), Comm: m.comm, RunNS: int64(m.run),
			Ended: m.threads, Processes: m.processes}
	}
	for _, l := range a.ledgers {
		for u := range l.Entries() {
			if _, ok := all[u.Thread]; !ok {
				all[u.Thread] = profile.Thread{TID: int32(u.Thread)}
			}
		}
	}
	first := a.name(all, named)
	leaders := map[int32]string{} // name of each process's first thread
	// Of several that had the number the last one counts, whose own number is the lowest.
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(all))) {
		if n := int32(a.lives.number(id)); n == all[id].PID {
			leaders[n] = all[id].Comm
		}
	}
	index := map[epochs.TID]int{}
	ids := slices.SortedFunc(maps.Keys(all), func(x, y epochs.TID) int {
		// Later numbers are lower. Lines that stand for several threads come last.
		return cmp.Or(cmp.Compare(together(all[x]), together(all[y])),
			cmp.Compare(a.lives.number(x), a.lives.number(y)), cmp.Compare(y, x))
	})
	for _, id := range ids {
		t := all[id]
		if t.TID, t.Phase = int32(a.lives.number(id)), profile.PhaseOf(t.Comm); t.TID < 0 {
			t.TID = 0 // no thread's number
		}
		if image, ok := a.images.known(int(t.PID), a.last); ok && t.TID > 0 {
			name := a.cfg.Reader.ThreadName(image, uint32(cmp.Or(t.InnerTID, t.TID)))
			t.Name = whole(t.Comm, name)
			if leader := leaders[t.PID]; t.Name == "" && t.TID != t.PID && leader == t.Comm {
				t.Name = inherited(t.Comm, name)
			}
		}
		index[id] = len(p.Threads)
		p.Threads = append(p.Threads, t)
	}
	for stay, id := range first {
		index[stay] = index[id]
	}
	return index
}

// together returns 1 for a line that stands for several threads, else 0.
func together(t profile.Thread) int {
	if t.Ended > 0 || t.Comm == crowdName {
		return 1
	}
	return 0
}

// name gives threads their names. A thread that came back to the target's cgroup counts as another
// thread in lives. Its first stay gets all; first maps each later stay to that one.
func (a *Attributor) name(
	all map[epochs.TID]profile.Thread, named []Named,
) (first map[epochs.TID]epochs.TID) {
	type identity struct {
		tid     int32
		created units.Instant
	}
	known := map[identity]epochs.TID{}
	first = map[epochs.TID]epochs.TID{}
	for _, n := range named {
		when := n.Ended
		if when == 0 {
			when = a.last
		}
		id := a.lives.at(epochs.TID(n.TID), when)
		t, ok := all[id]
		if !ok {
			continue
		}
		// otherwise the name is known, and n may be of an earlier thread
		if m := a.people.all[id]; m == nil || m.ended == 0 || m.comm == "" {
			t.Comm = n.Comm
		}
		t.PID, t.InnerTID = n.PID, n.InnerTID
		if before, ok := known[identity{n.TID, n.Created}]; ok && n.Created != 0 && before != id {
			delete(all, id)
			first[id], id = before, before
			t.RunNS += all[id].RunNS
		}
		known[identity{n.TID, n.Created}] = id
		all[id] = t
	}
	return first
}

// maxComm is the most bytes that the kernel keeps of a thread's name.
const maxComm = 15

// inherited returns the name that a virtual machine gave a thread which the kernel does not have.
// The kernel gives a thread that others made the name of its process: so does Java's launcher make
// the thread that runs main. It returns "" where the name does not look like one.
func inherited(comm, name string) string {
	if comm == "" || name == comm || strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsPrint(c)
	}) {
		return ""
	}
	return name
}

// whole returns the name that a virtual machine gave a thread, if the kernel's name is the
// beginning of it; else "". So it rejects a name that was read while its text was moved, or that
// belongs to another thread which has this id in a container, where the thread's own id there is
// not known.
func whole(comm, name string) string {
	if len(comm) != maxComm || len(name) <= maxComm || name[:maxComm] != comm {
		return ""
	}
	return name
}
