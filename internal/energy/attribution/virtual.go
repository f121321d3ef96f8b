package attribution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/internal/stacks"
)

const (
	// maxVirtual bounds the virtual threads that are kept separately. When there are more, those
	// with the least energy are booked as one, until an eighth is left: each time takes a walk over
	// all that was booked.
	maxVirtual = 4096
	// maxThreadNumber bounds threads' numbers, which count from 1. A larger one is made up.
	maxThreadNumber = 1 << 48
)

// mount is the number of the virtual thread that a stack is of.
type mount uint32

const (
	notKnown   mount = iota // none, or the machine does not say which
	noMount                 // none, as the machine says
	otherMount              // one that is not kept separately
	mounts                  // the first one's number
)

// mountKey identifies a virtual thread.
type mountKey struct {
	image protocol.Image
	id    uint64
}

// virtual numbers the virtual threads that were seen.
type virtual struct {
	list  []mountKey // by number less mounts; the zero key: the number is free
	index map[mountKey]mount
	free  []mount
}

// number returns the number of what a sample says was mounted. It calls spare with a thread that
// has no number yet, as the thread may have lost an earlier one.
func (v *virtual) number(
	image protocol.Image, mounted uint64, spare func(protocol.Image, uint64, bool),
) mount {
	switch {
	case mounted == stacks.Itself:
		return noMount
	case mounted == 0 || mounted >= maxThreadNumber:
		return notKnown
	}
	k := mountKey{image, mounted}
	n, known := v.index[k]
	if known {
		return n
	}
	if v.index == nil {
		v.index = map[mountKey]mount{}
	}
	if last := len(v.free) - 1; last >= 0 {
		n, v.free = v.free[last], v.free[:last]
		v.list[n-mounts] = k
	} else {
		n = mounts + mount(len(v.list))
		v.list = append(v.list, k)
	}
	v.index[k] = n
	spare(image, mounted, false)
	return n
}

// over reports whether more are kept than the bound.
func (v *virtual) over() bool { return len(v.index) > maxVirtual }

// fold chooses the virtual threads with the least energy, whose stacks are of others from now on,
// and calls spare with each.
func (v *virtual) fold(
	t *stackTable, entries map[energy.Unit]*energy.Entry, spare func(protocol.Image, uint64, bool),
) map[mount]bool {
	if !v.over() {
		return nil
	}
	used := t.byMount(entries)
	list := slices.SortedFunc(maps.Values(v.index), func(a, b mount) int {
		return cmp.Or(cmp.Compare(used[a], used[b]), cmp.Compare(a, b))
	})
	joined := map[mount]bool{}
	for _, n := range list[:len(list)-maxVirtual/8] {
		joined[n] = true
		k := v.list[n-mounts]
		delete(v.index, k)
		spare(k.image, k.id, true)
		v.list[n-mounts] = mountKey{}
		v.free = append(v.free, n)
	}
	return joined
}

// byMount returns the energy of each virtual thread.
func (t *stackTable) byMount(entries map[energy.Unit]*energy.Entry) map[mount]int64 {
	used := map[mount]int64{}
	for u, e := range entries {
		for _, x := range e.Energy {
			used[t.at(u.Stack).mount] += int64(x)
		}
	}
	return used
}

// ofNote is the part of all virtual threads' energy, one in so many, below which one without a name
// has no line of its own: a program can make a thread for each request.
const ofNote = 100

// virtualOf finds, for each stack of a profile, the virtual thread in it.
type virtualOf struct {
	of    *Attributor
	p     *profile.Profile
	index map[profile.VirtualThread]int // places in the profile, from 1
	says  map[protocol.Image]bool       // those whose machine says who is mounted
	used  map[mount]int64
	all   int64 // of all virtual threads
}

func (a *Attributor) virtualOf(p *profile.Profile) *virtualOf {
	v := &virtualOf{of: a, p: p, index: map[profile.VirtualThread]int{},
		says: map[protocol.Image]bool{}, used: a.stacks.byMount(a.ledgers[0].Entries())}
	for m, used := range v.used {
		if m > noMount {
			v.all += used
		}
	}
	for k := range a.virtual.index {
		v.says[k.image] = true
	}
	return v
}

// place returns the place of the virtual thread that a stack is of, from 1; 0: none.
func (v *virtualOf) place(s *profile.Stack, id energy.StackID) int {
	x := profile.VirtualThread{PID: v.p.Threads[s.Thread].PID}
	of := v.of.stacks.at(id)
	switch m := of.mount; {
	case m == noMount || m == notKnown && !(v.says[of.image] && v.p.InContinuation(s)):
		return 0
	case m > noMount && of.kept == keptWhole && !s.Cut && !v.p.InContinuation(s):
		return 0 // the number is of a thread that had this one's place
	case m == otherMount:
		x = profile.VirtualThread{More: true}
	case m >= mounts:
		k := v.of.virtual.list[m-mounts]
		x.ID, x.Name = k.id, v.of.cfg.Reader.VirtualName(k.image, k.id)
		if x.Name == "" && v.used[m] < v.all/ofNote {
			x = profile.VirtualThread{More: true}
		}
	}
	i, known := v.index[x]
	if !known {
		v.p.VirtualThreads = append(v.p.VirtualThreads, x)
		i = len(v.p.VirtualThreads)
		v.index[x] = i
	}
	return i
}
