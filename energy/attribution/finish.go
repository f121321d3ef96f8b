package attribution

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/energy"
	"github.com/ebb-energy/ebb/energy/profile"
	"github.com/ebb-energy/ebb/energy/symbols"
	"github.com/ebb-energy/ebb/epochs"
)

// Named is a thread as the kernel knows it.
type Named struct {
	TID, PID int32
	Comm     string
}

// Processes are those that were sampled.
func (c *Collector) Processes() []int {
	seen := map[int]bool{}
	for _, pid := range c.pids {
		seen[pid] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Finish makes the profile. It is called when the target has ended, or is left to itself: then its symbols are all there.
func (c *Collector) Finish(threads []Named, ownCPU int64) (*profile.Profile, error) {
	for _, l := range c.ledgers {
		l.Finish()
	}
	c.resolver.PerfMaps(c.cfg.PerfMap)
	p := &profile.Profile{RateHz: c.cfg.Rate, WallNS: int64(c.last - c.begin), Windows: c.windows, OwnCPUNS: ownCPU, Timeline: c.line}
	var err error
	if p.Taken, p.Lost, err = c.cfg.Sampler.Counts(); err != nil {
		return nil, err
	}
	c.zones(p)
	index := c.threads(p, threads)
	c.stacksOf(p, index)
	p.Problems = c.resolver.Problems
	return p, c.Err()
}

func (c *Collector) zones(p *profile.Profile) {
	for _, r := range c.cfg.Rules {
		p.Rules = append(p.Rules, r.Name())
	}
	for i, z := range c.cfg.Meter.Zones() {
		out := profile.Zone{Name: z.Name, Source: string(z.Source), Model: c.cfg.Meter.Model()}
		for _, l := range c.ledgers {
			t := l.Totals()[i]
			out.TotalNJ = int64(t.Measured)
			out.Attr = append(out.Attr, int64(t.Attributed))
			out.OthersNJ = append(out.OthersNJ, int64(t.Others))
			out.IdleNJ = append(out.IdleNJ, int64(t.Idle))
			out.RestNJ = append(out.RestNJ, int64(t.Unattributed))
		}
		p.Zones = append(p.Zones, out)
	}
}

// threads lists the threads that have an entry or ran, and says where each is.
func (c *Collector) threads(p *profile.Profile, named []Named) map[epochs.TID]int {
	all := map[epochs.TID]profile.Thread{}
	for t, d := range c.run {
		all[t] = profile.Thread{TID: int32(t), PID: int32(c.pids[t]), RunNS: int64(d)}
	}
	for _, l := range c.ledgers {
		for u := range l.Entries() {
			if _, ok := all[u.Thread]; !ok {
				all[u.Thread] = profile.Thread{TID: int32(u.Thread), PID: int32(c.pids[u.Thread])}
			}
		}
	}
	for _, n := range named {
		if t, ok := all[epochs.TID(n.TID)]; ok {
			t.Comm, t.PID = n.Comm, n.PID
			all[epochs.TID(n.TID)] = t
		}
	}
	for _, t := range all {
		t.Phase = profile.PhaseOf(t.Comm)
		p.Threads = append(p.Threads, t)
	}
	slices.SortFunc(p.Threads, func(a, b profile.Thread) int { return cmp.Compare(a.TID, b.TID) })
	index := map[epochs.TID]int{}
	for i := range p.Threads {
		index[epochs.TID(p.Threads[i].TID)] = i
	}
	return index
}

// stacksOf resolves the stacks of all entries. Stacks that become the same by name are one.
func (c *Collector) stacksOf(p *profile.Profile, index map[epochs.TID]int) {
	f := frames{p: p, index: map[symbols.Frame]int{}}
	counted := profile.Counted(zoneNames(c.cfg.Meter))
	var unitsOf []energy.Unit
	seen := map[energy.Unit]bool{}
	for _, l := range c.ledgers {
		for u := range l.Entries() {
			if !seen[u] {
				seen[u] = true
				unitsOf = append(unitsOf, u)
			}
		}
	}
	slices.SortFunc(unitsOf, func(a, b energy.Unit) int {
		return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Stack, b.Stack))
	})
	for _, u := range unitsOf {
		s := profile.Stack{Thread: index[u.Thread], Frames: c.resolve(u.Stack, &f)}
		s.Cut = u.Stack != energy.NoStack && (c.stacks[u.Stack].cut || !rooted(p, s.Frames))
		for i, l := range c.ledgers {
			sum := int64(0)
			if e := l.Entries()[u]; e != nil {
				for z, amount := range e.Energy {
					if counted[z] {
						sum += int64(amount)
					}
				}
				if i == 0 {
					s.Samples, s.Squares = e.Samples, e.Squares
					for _, amount := range e.Energy {
						s.ByZone = append(s.ByZone, int64(amount))
					}
				}
			}
			s.EnergyNJ = append(s.EnergyNJ, sum)
		}
		s.ByFrequency = c.frequencies(u)
		p.Stacks = append(p.Stacks, s)
	}
}

// rooted says whether a stack goes back to where threads begin: the C library's start of programs and threads, or Go's.
// Code that was compiled without frame pointers ends the walk before.
func rooted(p *profile.Profile, frames []int) bool {
	if len(frames) == 0 {
		return false
	}
	f := &p.Frames[frames[len(frames)-1]]
	for _, library := range []string{"libc.", "libc-", "ld-linux", "ld-musl", "libpthread"} {
		if strings.HasPrefix(f.Module, library) {
			return true
		}
	}
	return strings.HasPrefix(f.Name, "runtime.") || f.Name == "_start" || f.Kind == "kernel"
}

func (c *Collector) frequencies(u energy.Unit) (out []profile.AtFrequency) {
	for f, n := range c.atFreq[u] {
		out = append(out, profile.AtFrequency{FreqHz: int64(f), Samples: n})
	}
	slices.SortFunc(out, func(a, b profile.AtFrequency) int { return cmp.Compare(a.FreqHz, b.FreqHz) })
	return out
}

// frames numbers distinct frames.
type frames struct {
	p     *profile.Profile
	index map[symbols.Frame]int
}

func (f *frames) of(x symbols.Frame) int {
	i, ok := f.index[x]
	if !ok {
		i = len(f.p.Frames)
		f.index[x] = i
		f.p.Frames = append(f.p.Frames, profile.Frame{Name: x.Name, Module: x.Module, Kind: x.Kind.String()})
	}
	return i
}

// resolve names a stack's addresses, the innermost first. All but the innermost of each part are return addresses.
func (c *Collector) resolve(id energy.StackID, f *frames) []int {
	s := &c.stacks[id]
	out := make([]int, 0, len(s.kernel)+len(s.user))
	for _, a := range s.kernel {
		out = append(out, f.of(c.resolver.Kernel(a)))
	}
	for i, a := range s.user {
		out = append(out, f.of(c.resolver.User(s.pid, a, i > 0)))
	}
	return out
}
