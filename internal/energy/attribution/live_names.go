package attribution

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// booked is the first ledger's watcher. It books a stack's energy to its method, at once or when
// the names have come.
func (l *live) booked(
	u energy.Unit, e units.Energy, cpu time.Duration, samples int, squares float64,
) {
	b := booking{u.Thread, e, cpu, samples, squares, false}
	switch u.Stack {
	case energy.NoStack:
		l.book(l.account.Method(neverSampled), &b)
		return
	case notKept:
		l.book(l.account.Method(profile.NotKept), &b)
		return
	}
	b.carried = l.of.stacks.at(u.Stack).mount > noMount
	comm, named := l.account.Named(u.Thread)
	if !named && l.looks < maxLiveLooks {
		l.looks++
		number := l.of.lives.number(u.Thread)
		if pid, name, ok := l.cfg.Look(number); ok {
			l.account.Name(u.Thread, pid, name)
			comm = name
		}
	}
	s := liveStack{l.phase(profile.PhaseOf(comm)), u.Stack}
	if i, ok := l.method(s); ok {
		l.book(i, &b)
		return
	}
	if l.waits >= maxLiveWaiting || l.unnamed >= maxLiveUnnamed {
		l.book(l.account.Method(notNamed), &b)
		return
	}
	if l.waits++; l.waiting[s] == nil {
		l.unnamed += len(l.of.stacks.at(s.stack).frames)
	}
	l.waiting[s] = append(l.waiting[s], b)
}

// book books energy to a method.
func (l *live) book(i int, b *booking) {
	l.account.Booked(b.thread, i, b.e, b.cpu, b.samples, b.squares)
	if b.carried {
		l.account.Carried(b.e)
	}
}

// phase returns the number of a phase.
func (l *live) phase(name string) int {
	for i := range l.p.Threads {
		if l.p.Threads[i].Phase == name {
			return i
		}
	}
	l.p.Threads = append(l.p.Threads, profile.Thread{Phase: name})
	return len(l.p.Threads) - 1
}

// method returns the number of a stack's method, if all its frames have names.
func (l *live) method(s liveStack) (i int, ok bool) {
	if i, ok = l.methods[s]; ok {
		return i, true
	}
	own := l.of.stacks.at(s.stack)
	frames, whole := make([]int, 0, len(own.frames)), true
	own.each(func(a protocol.Address) {
		n, ok := l.frame(a)
		whole = whole && ok
		frames = append(frames, n)
	})
	if !whole {
		return 0, false
	}
	i = l.account.Method(l.view.Unit(&profile.Stack{Thread: s.phase, Frames: frames}))
	if len(l.methods) >= maxLiveStacks {
		clear(l.methods)
	}
	l.methods[s] = i
	return i, true
}

// frame returns the number of an address's frame. It asks for the name of an address that has none
// yet.
func (l *live) frame(a protocol.Address) (n int, ok bool) {
	if n, ok = l.frames[a]; ok {
		return n, true
	}
	if f, known := l.cfg.Namer.Marked(a); known {
		return l.number(f), true
	}
	if len(l.frames)+len(l.wanted) >= maxLiveFrames {
		return l.number(unknownFrame), true
	}
	if !l.wanted[a] {
		l.wanted[a] = true
		l.asking = append(l.asking, a)
	}
	return 0, false
}

func (l *live) number(x protocol.Frame) int {
	n, ok := l.index[x]
	if !ok && len(l.p.Frames) < maxLiveFrames {
		n = len(l.p.Frames)
		l.index[x] = n
		l.p.Frames = append(l.p.Frames, profile.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind,
			Near: x.Near})
	}
	return n
}

// ask asks for the names of some addresses, if no answer is due.
func (l *live) ask(at units.Instant) {
	if len(l.asking) == 0 {
		return
	}
	some := slices.Clone(l.asking[:min(len(l.asking), protocol.MaxAddresses)])
	if l.cfg.Namer.AskNames(some, at, l.named) {
		l.asking = l.asking[len(some):]
	}
}

// named takes names, and books what waited for them.
func (l *live) named(list []protocol.Address, frames []protocol.Frame) {
	for k, a := range list {
		f := frames[k]
		l.frames[a] = l.number(protocol.Frame{Name: f.Name, Module: f.Module, Kind: f.Kind,
			Near: f.Near})
		delete(l.wanted, a)
	}
	for s, all := range l.waiting {
		i, ok := l.method(s)
		if !ok {
			continue
		}
		for k := range all {
			l.book(i, &all[k])
		}
		l.waits -= len(all)
		l.unnamed -= len(l.of.stacks.at(s.stack).frames)
		delete(l.waiting, s)
	}
}

// end names the remaining addresses as the report does, and makes the last line.
func (l *live) end(p *profile.Profile, f *frames) {
	if l == nil {
		return
	}
	for s := range l.waiting {
		l.of.stacks.at(s.stack).each(func(a protocol.Address) {
			n, ok := f.of[a]
			if !ok {
				n = f.none
			}
			x := &p.Frames[n]
			l.frames[a] = l.number(protocol.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind,
				Near: x.Near})
		})
	}
	l.named(nil, nil)
	l.line(l.of.last, true)
}
