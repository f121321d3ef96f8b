package attribution

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
)

// maxNamed bounds the addresses that are named. Addresses of the stacks with the most samples come
// first.
const maxNamed = 1 << 18

// maxNameBytes bounds the bytes of the names that are kept.
const maxNameBytes = 16 << 20

// frames numbers distinct frames.
type frames struct {
	p     *profile.Profile
	index map[protocol.Frame]int
	of    map[protocol.Address]int
	none  int // number of the frame for addresses without a name
	bytes int
}

// named names all addresses of all stacks.
func (a *Attributor) named(ctx context.Context, p *profile.Profile) *frames {
	f := &frames{p: p, index: map[protocol.Frame]int{}, of: map[protocol.Address]int{}}
	f.none = f.number(protocol.Frame{Name: "[unknown]", Kind: "unresolved"})
	list, left := a.addresses()
	images := map[protocol.Image]bool{}
	for _, x := range list {
		images[x.Image] = true
	}
	if err := a.cfg.Reader.PerfMaps(ctx, slices.Sorted(maps.Keys(images))); err != nil {
		a.problems = append(a.problems,
			fmt.Sprintf("read what virtual machines wrote of their code: %v", err))
	}
	const atATime = 4096
	for some := range slices.Chunk(list, atATime) {
		for i, frame := range a.cfg.Reader.Names(ctx, some) {
			f.of[some[i]] = f.number(frame)
		}
	}
	if left > 0 || f.bytes > maxNameBytes {
		a.problems = append(a.problems,
			fmt.Sprintf("there are too many different functions: %d addresses were not named",
				left))
	}
	return f
}

// addresses returns the addresses of all stacks, each once, and the number of those beyond the
// limit. A return address counts as the instruction before it.
func (a *Attributor) addresses() (list []protocol.Address, left int) {
	samples := map[energy.StackID]int{}
	for _, l := range a.ledgers {
		for u, e := range l.Entries() {
			samples[u.Stack] += e.Samples
		}
	}
	for _, who := range a.callers {
		samples[who.stack]++
	}
	ids := slices.SortedFunc(maps.Keys(samples), func(x, y energy.StackID) int {
		return cmp.Or(cmp.Compare(samples[y], samples[x]), cmp.Compare(x, y))
	})
	seen := map[protocol.Address]bool{}
	for _, id := range ids {
		a.stacks.at(id).each(func(x protocol.Address) {
			switch {
			case seen[x]:
			case len(list) >= maxNamed:
				left++
			default:
				seen[x] = true
				list = append(list, x)
			}
		})
	}
	slices.SortFunc(list, func(x, y protocol.Address) int {
		return cmp.Or(cmp.Compare(x.Image, y.Image), cmp.Compare(x.Addr, y.Addr))
	})
	return list, left
}

// each calls do with the addresses of a stack, the innermost first.
func (s *stack) each(do func(protocol.Address)) {
	for _, a := range s.kernel() {
		do(protocol.Address{Image: protocol.KernelImage, Addr: a})
	}
	for i, a := range s.user() {
		if i > 0 && a > 0 && a&protocol.Marked == 0 {
			a--
		}
		do(protocol.Address{Image: s.image, Addr: a})
	}
}

// number returns the number of a frame in the profile.
func (f *frames) number(x protocol.Frame) int {
	i, ok := f.index[x]
	if ok {
		return i
	}
	f.bytes += len(x.Name) + len(x.Module) + len(x.BuildID) + len(x.Near)
	if f.bytes > maxNameBytes {
		return f.none
	}
	i = len(f.p.Frames)
	f.index[x] = i
	f.p.Frames = append(f.p.Frames, profile.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind,
		BuildID: x.BuildID, Address: x.Addr, Near: x.Near})
	return i
}

// resolve names a stack's addresses, the innermost first.
func (a *Attributor) resolve(id energy.StackID, f *frames) []int {
	if id == notKept {
		return []int{f.number(protocol.Frame{Name: profile.NotKept,
			Module: profile.NotKept, Kind: "unresolved"})}
	}
	s := a.stacks.at(id)
	out := make([]int, 0, len(s.frames))
	s.each(func(x protocol.Address) {
		i, ok := f.of[x]
		if !ok {
			i = f.none
		}
		out = append(out, i)
	})
	return out
}

// leaves names the method at the leaf of a unit's call stack: the innermost function that is not
// the kernel's.
func (a *Attributor) leaves(p *profile.Profile, f *frames) func(energy.Unit) string {
	names := map[energy.StackID]string{}
	return func(u energy.Unit) string {
		name, known := names[u.Stack]
		if known {
			return name
		}
		for _, i := range a.resolve(u.Stack, f) {
			name = p.Frames[i].Module + " " + p.Frames[i].Name
			if p.Frames[i].Kind != "kernel" {
				break
			}
		}
		names[u.Stack] = name
		return name
	}
}
