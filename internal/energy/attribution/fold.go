package attribution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

const (
	// maxBytes bounds, approximately, the memory of stacks and of the ledgers' entries. When they
	// take more, they are reduced to half of the bound: three quarters of that half for programs
	// that run, one quarter for those that ended.
	maxBytes = 32 << 20
	// maxDeadImages is the number of ended or replaced programs that keep their stacks.
	maxDeadImages = 1024
)

// fold keeps what has been booked within its bounds: ended threads and processes with little energy
// become lines with others, and stacks that were seldom seen are shortened. All sums stay what they
// are.
func (a *Attributor) fold(now units.Instant) {
	entries := a.ledgers[0].Entries()
	large := a.stacks.bytes+entryBytes*len(a.ledgers)*len(entries) > maxBytes
	if !large && !a.people.over() && !a.images.over() && !a.virtual.over() {
		return
	}
	used := map[epochs.TID]int64{}
	for u, e := range entries {
		for _, x := range e.Energy {
			used[u.Thread] += int64(x)
		}
	}
	f := folding{c: a, threads: a.people.fold(now, used), stacks: map[energy.StackID]kept{}}
	a.stacks.joined = a.virtual.fold(a.stacks, entries, a.cfg.Reader.SpareVirtual)
	live, dead := f.bury(f.uses(entries))
	if large {
		maps.Copy(f.stacks, share(a.stacks, live, maxBytes/8*3))
		maps.Copy(f.stacks, share(a.stacks, dead, maxBytes/8))
	}
	f.apply(now)
}

// folding has the changes of one call of fold.
type folding struct {
	c       *Attributor
	threads map[epochs.TID]epochs.TID
	stacks  map[energy.StackID]kept
}

// thread returns the id that a thread is booked under from now on.
func (f *folding) thread(t epochs.TID) epochs.TID {
	if to, ok := f.threads[t]; ok {
		return to
	}
	return t
}

// unit returns the unit to which a unit's energy is booked from now on. Where a stack is shortened,
// frequencies are no longer distinguished.
func (f *folding) unit(u energy.Unit) energy.Unit {
	u.Thread = f.thread(u.Thread)
	if u.Stack == energy.NoStack {
		return u
	}
	if f.c.people.dead(u.Thread) {
		return energy.Unit{Thread: u.Thread, Stack: notKept, Section: u.Section}
	}
	k := f.stacks[u.Stack]
	if u.Stack = f.c.stacks.trimmed(u.Stack, k); k != keptWhole {
		u.Frequency = 0
	}
	return u
}

// uses lists the stacks of threads whose stacks still mean something, in order.
func (f *folding) uses(entries map[energy.Unit]*energy.Entry) []use {
	all := make([]use, len(f.c.stacks.stacks))
	count := func(id energy.StackID, samples, entries int) {
		all[id].id, all[id].image = id, f.c.stacks.at(id).image
		all[id].samples += samples
		all[id].entries += entries
	}
	for u, e := range entries {
		if !f.c.people.dead(f.thread(u.Thread)) {
			count(u.Stack, e.Samples, len(f.c.ledgers))
		}
	}
	for _, s := range f.c.builder.Waiting() {
		count(s.Stack, 1, 0)
	}
	for _, who := range f.c.callers {
		count(who.stack, 1, 0)
	}
	return slices.DeleteFunc(all, func(u use) bool { return u.id <= notKept })
}

// bury separates the uses of programs that run from those of programs that ended or were replaced.
// Of the latter it keeps only those with the most samples.
func (f *folding) bury(uses []use) (live, dead []use) {
	running := func(m *member) bool { return m.ended == 0 && m.threads == 0 }
	current := f.c.images.current(f.c.people.processes(running))
	samples := map[protocol.Image]int{}
	for _, u := range uses {
		if current[u.image] {
			live = append(live, u)
		} else {
			dead = append(dead, u)
			samples[u.image] += u.samples
		}
	}
	if len(samples) <= maxDeadImages {
		return live, dead
	}
	least := slices.SortedFunc(maps.Keys(samples), func(a, b protocol.Image) int {
		return cmp.Or(cmp.Compare(samples[a], samples[b]), cmp.Compare(a, b))
	})
	buried := map[protocol.Image]bool{}
	for _, i := range least[:len(least)-maxDeadImages/2] {
		buried[i] = true
	}
	return live, slices.DeleteFunc(dead, func(u use) bool {
		if buried[u.image] {
			f.stacks[u.id] = kept0
		}
		return buried[u.image]
	})
}

// apply renames threads and stacks everywhere, and drops those without a reference.
func (f *folding) apply(now units.Instant) {
	c := f.c
	for _, l := range c.ledgers {
		l.Fold(f.unit)
	}
	waiting := c.builder.Waiting()
	for i := range waiting {
		waiting[i].Stack = c.stacks.trimmed(waiting[i].Stack, f.stacks[waiting[i].Stack])
	}
	for k, who := range c.callers {
		c.callers[k] = caller{f.thread(who.thread),
			c.stacks.trimmed(who.stack, f.stacks[who.stack])}
	}
	c.stacks.joined = nil
	used := make([]bool, len(c.stacks.stacks))
	images := maps.Clone(c.walking)
	for _, l := range c.ledgers {
		for u := range l.Entries() {
			used[u.Stack] = true
		}
	}
	for i := range waiting {
		used[waiting[i].Stack] = true
	}
	for _, who := range c.callers {
		used[who.stack] = true
	}
	for id, u := range used {
		if u && energy.StackID(id) > notKept {
			images[c.stacks.at(energy.StackID(id)).image] = true
		}
	}
	c.keepTraced(used)
	c.stacks.sweep(used)
	c.live.folded()
	c.images.forget(now, images, c.people.processes(func(*member) bool { return true }))
}
