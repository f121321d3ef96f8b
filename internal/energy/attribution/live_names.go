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
func (v *live) booked(
	u energy.Unit, e units.Energy, cpu time.Duration, samples int, squares float64,
) {
	switch u.Stack {
	case energy.NoStack:
		v.account.Booked(u.Thread, v.account.Method(neverSampled), e, cpu, samples, squares)
		return
	case notKept:
		v.account.Booked(u.Thread, v.account.Method(profile.NotKept), e, cpu, samples, squares)
		return
	}
	comm, named := v.account.Named(u.Thread)
	if !named && v.looks < maxLiveLooks {
		v.looks++
		number := v.of.lives.number(u.Thread)
		if pid, name, ok := v.cfg.Look(number); ok {
			v.account.Name(u.Thread, pid, name)
			comm = name
		}
	}
	s := liveStack{v.phase(profile.PhaseOf(comm)), u.Stack}
	if i, ok := v.method(s); ok {
		v.account.Booked(u.Thread, i, e, cpu, samples, squares)
		return
	}
	if v.waits >= maxLiveWaiting || v.unnamed >= maxLiveUnnamed {
		v.account.Booked(u.Thread, v.account.Method(notNamed), e, cpu, samples, squares)
		return
	}
	if v.waits++; v.waiting[s] == nil {
		v.unnamed += len(v.of.stacks.at(s.stack).frames)
	}
	v.waiting[s] = append(v.waiting[s], booking{u.Thread, e, cpu, samples, squares})
}

// phase returns the number of a phase.
func (v *live) phase(name string) int {
	for i := range v.p.Threads {
		if v.p.Threads[i].Phase == name {
			return i
		}
	}
	v.p.Threads = append(v.p.Threads, profile.Thread{Phase: name})
	return len(v.p.Threads) - 1
}

// method returns the number of a stack's method, if all its frames have names.
func (v *live) method(s liveStack) (i int, ok bool) {
	if i, ok = v.methods[s]; ok {
		return i, true
	}
	own := v.of.stacks.at(s.stack)
	frames, whole := make([]int, 0, len(own.frames)), true
	own.each(func(a protocol.Address) {
		n, ok := v.frame(a)
		whole = whole && ok
		frames = append(frames, n)
	})
	if !whole {
		return 0, false
	}
	i = v.account.Method(v.view.Unit(&profile.Stack{Thread: s.phase, Frames: frames}))
	if len(v.methods) >= maxLiveStacks {
		clear(v.methods)
	}
	v.methods[s] = i
	return i, true
}

// frame returns the number of an address's frame. It asks for the name of an address that has none
// yet.
func (v *live) frame(a protocol.Address) (n int, ok bool) {
	if n, ok = v.frames[a]; ok {
		return n, true
	}
	if f, known := v.cfg.Namer.Marked(a); known {
		return v.number(f), true
	}
	if len(v.frames)+len(v.wanted) >= maxLiveFrames {
		return v.number(unknownFrame), true
	}
	if !v.wanted[a] {
		v.wanted[a] = true
		v.asking = append(v.asking, a)
	}
	return 0, false
}

func (v *live) number(x protocol.Frame) int {
	n, ok := v.index[x]
	if !ok && len(v.p.Frames) < maxLiveFrames {
		n = len(v.p.Frames)
		v.index[x] = n
		v.p.Frames = append(v.p.Frames, profile.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind,
			Near: x.Near})
	}
	return n
}

// ask asks for the names of some addresses, if no answer is due.
func (v *live) ask(at units.Instant) {
	if len(v.asking) == 0 {
		return
	}
	some := slices.Clone(v.asking[:min(len(v.asking), protocol.MaxAddresses)])
	if v.cfg.Namer.AskNames(some, at, v.named) {
		v.asking = v.asking[len(some):]
	}
}

// named takes names, and books what waited for them.
func (v *live) named(list []protocol.Address, frames []protocol.Frame) {
	for k, a := range list {
		f := frames[k]
		v.frames[a] = v.number(protocol.Frame{Name: f.Name, Module: f.Module, Kind: f.Kind,
			Near: f.Near})
		delete(v.wanted, a)
	}
	for s, all := range v.waiting {
		i, ok := v.method(s)
		if !ok {
			continue
		}
		for _, b := range all {
			v.account.Booked(b.thread, i, b.e, b.cpu, b.samples, b.squares)
		}
		v.waits -= len(all)
		v.unnamed -= len(v.of.stacks.at(s.stack).frames)
		delete(v.waiting, s)
	}
}

// end names the remaining addresses as the report does, and makes the last line.
func (v *live) end(p *profile.Profile, f *frames) {
	if v == nil {
		return
	}
	for s := range v.waiting {
		v.of.stacks.at(s.stack).each(func(a protocol.Address) {
			n, ok := f.of[a]
			if !ok {
				n = f.none
			}
			x := &p.Frames[n]
			v.frames[a] = v.number(protocol.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind,
				Near: x.Near})
		})
	}
	v.named(nil, nil)
	v.line(v.of.last, true)
}
