package attribution

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// AwaitStacks waits for the stacks that are still being walked, and books the last window. It is
// called when nothing is governed any more.
func (a *Attributor) AwaitStacks(ctx context.Context, now func() units.Instant) {
	for range maxRounds {
		a.cfg.Reader.AwaitAnswers(ctx, now)
		if a.drain(); a.cfg.Reader.Room() {
			break
		}
	}
	a.cfg.Reader.AwaitAnswers(ctx, now)
	a.calls.takeLast(ctx, now)
	a.marked.takeLast(ctx, now)
	a.builder.Delivered(a.last)
}

// maxRounds bounds the readings of the sampler's ring at the end. Each time more samples are taken
// than it holds.
const maxRounds = 4096

// Image returns the last program of a process, as its reader knows it.
func (a *Attributor) Image(pid int) protocol.Image { return a.images.at(pid, a.last) }

// Unnamed returns the sampled processes, with their last programs, in whose memory no compiled code
// was found. They are no Java machines, or of a kind that ebb cannot read.
func (a *Attributor) Unnamed() map[int]protocol.Image {
	out := map[int]protocol.Image{}
	for _, m := range a.people.all {
		if m.pid == 0 {
			continue
		}
		if image := a.images.at(m.pid, a.last); !a.cfg.Reader.Java(image) {
			out[m.pid] = image
		}
	}
	return out
}

// Finish makes the profile. It is called when the target has ended or is left to itself, because
// then all its symbols are there. Moved counts only where the network was counted.
func (a *Attributor) Finish(
	ctx context.Context, threads []Named, moved []Moved, ownCPU int64,
) (*profile.Profile, error) {
	for _, l := range a.ledgers {
		l.Finish()
	}
	p := &profile.Profile{RateHz: a.cfg.Rate, WallNS: int64(a.last - a.begin), Windows: a.windows,
		OwnCPUNS: ownCPU, OwnRunNS: int64(a.own.sum), Timeline: a.line.Points}
	if n := a.gives.furthest; n > 1 {
		p.LeastRateHz = max(a.cfg.Rate/n, 1)
	}
	var err error
	if p.Taken, p.Lost, err = a.cfg.Sampler.Counts(); err != nil {
		return nil, err
	}
	p.Taken -= a.early
	index := a.threads(p, threads)
	counts := a.calls.count(ctx) // names may take all the time that the child has
	f := a.named(ctx, p)
	a.live.end(p, f)
	for _, l := range a.ledgers {
		l.PerMethod(a.leaves(p, f))
	}
	a.zones(p)
	a.sections(p)
	a.stacksOf(p, index, f)
	a.traceNames(p, index, f)
	if a.cfg.Callers != nil {
		p.Network = &profile.Network{Transfers: []profile.Transfer{}}
		a.network(p, moved, index, f)
	}
	if err := a.calls.finish(ctx, p, f, counts); err != nil {
		a.problems = append(a.problems, fmt.Sprintf("calls of functions: %v", err))
	}
	var nameless []profile.Nameless
	files, err := a.cfg.Reader.Nameless(ctx)
	if err != nil {
		a.problems = append(a.problems, fmt.Sprintf("which files lack names is not known: %v", err))
	}
	for _, n := range files {
		nameless = append(nameless, profile.Nameless{Module: n.Module, Path: n.Path,
			BuildID: n.BuildID, DebugFile: n.DebugFile, Distribution: n.Distribution,
			Like: n.Like, Codename: n.Codename})
	}
	p.FindNameless(nameless)
	p.FindVirtual()
	for _, pid := range p.Runtimes() {
		list, err := a.cfg.Reader.Switches(ctx, a.Image(int(pid)))
		if err == nil && list != "" { // without the list the report gives the advice to all
			p.Switches = append(p.Switches,
				profile.Switches{PID: pid, On: strings.Split(list, ",")})
		}
	}
	p.Problems = append(a.problems, a.cfg.Reader.Problems()...)
	if n, err := a.cfg.Sampler.Shallow(); err != nil {
		return nil, err
	} else if n > 0 {
		p.Problems = append(p.Problems,
			fmt.Sprintf("%d samples were taken without a copy of the stack, "+
				"because earlier ones had not been read yet", n))
	}
	p.Bound(profile.MaxBytes)
	return p, a.Err()
}

func (a *Attributor) zones(p *profile.Profile) {
	for _, r := range a.cfg.Rules {
		p.Rules = append(p.Rules, r.Name())
	}
	for i, z := range a.cfg.Meter.Zones() {
		out := profile.Zone{Name: z.Name, Source: string(z.Source), Model: a.cfg.Meter.Model()}
		for _, l := range a.ledgers {
			t := l.Totals()[i]
			out.TotalNJ = int64(t.Measured)
			out.Attr = append(out.Attr, int64(t.Attributed))
			out.OthersNJ = append(out.OthersNJ, int64(t.Others))
			out.OwnNJ = append(out.OwnNJ, int64(t.Own))
			out.IdleNJ = append(out.IdleNJ, int64(t.Idle))
			out.RestNJ = append(out.RestNJ, int64(t.Unattributed))
		}
		p.Zones = append(p.Zones, out)
	}
}

// stacksOf resolves the stacks of all entries. Stacks that become the same by name are joined.
func (a *Attributor) stacksOf(p *profile.Profile, index map[epochs.TID]int, f *frames) {
	counted := profile.Counted(zoneNames(a.cfg.Meter))
	seen := map[energy.Unit]bool{}
	for _, l := range a.ledgers {
		for u := range l.Entries() {
			seen[u] = true
		}
	}
	unitsOf := slices.SortedFunc(maps.Keys(seen), func(x, y energy.Unit) int {
		return cmp.Or(cmp.Compare(index[x.Thread], index[y.Thread]),
			cmp.Compare(x.Stack, y.Stack), cmp.Compare(x.Section, y.Section),
			cmp.Compare(x.Frequency, y.Frequency))
	})
	virtual := a.virtualOf(p)
	for i, u := range unitsOf {
		if i == 0 || index[u.Thread] != index[unitsOf[i-1].Thread] ||
			u.Stack != unitsOf[i-1].Stack || u.Section != unitsOf[i-1].Section {
			s := profile.Stack{
				Thread: index[u.Thread], Section: int(u.Section), Frames: a.resolve(u.Stack, f),
				EnergyNJ: make([]int64, len(a.ledgers)), ByZone: make([]int64, len(counted)),
			}
			if u.Stack != energy.NoStack {
				own := a.stacks.at(u.Stack)
				s.Cut, s.Kept = a.isCut(p, own, s.Frames), own.kept.most()
				s.Virtual = virtual.place(&s, u.Stack)
			}
			p.Stacks = append(p.Stacks, s)
		}
		a.add(&p.Stacks[len(p.Stacks)-1], u, counted)
	}
}

// add adds what a stack got at one frequency.
func (a *Attributor) add(s *profile.Stack, u energy.Unit, counted []bool) {
	at := profile.AtFrequency{FreqHz: int64(u.Frequency), EnergyNJ: make([]int64, len(a.ledgers))}
	for i, l := range a.ledgers {
		e := l.Entries()[u]
		if e == nil {
			continue
		}
		for z, amount := range e.Energy {
			if counted[z] {
				at.EnergyNJ[i] += int64(amount)
			}
			if i == 0 {
				s.ByZone[z] += int64(amount)
			}
		}
		s.EnergyNJ[i] += at.EnergyNJ[i]
		if i == 0 {
			at.Samples, at.Squares, at.CPUNS = e.Samples, e.Squares, int64(e.Time)
		}
	}
	s.Samples += at.Samples
	s.Squares += at.Squares
	s.CPUNS += at.CPUNS
	if at.FreqHz == 0 {
		return
	}
	// a part at the same frequency is from another stay of the thread
	if n := len(s.ByFrequency); n > 0 && s.ByFrequency[n-1].FreqHz == at.FreqHz {
		last := &s.ByFrequency[n-1]
		last.Samples += at.Samples
		last.Squares += at.Squares
		last.CPUNS += at.CPUNS
		for i, e := range at.EnergyNJ {
			last.EnergyNJ[i] += e
		}
		return
	}
	s.ByFrequency = append(s.ByFrequency, at)
}

// isCut reports whether a stack does not go back to where its thread begins.
func (a *Attributor) isCut(p *profile.Profile, s *stack, frames []int) bool {
	return s.end != protocol.Whole && !rooted(p, frames)
}

// rooted reports, by the outermost frame's name, whether a stack goes back to where threads begin:
// the C library's start of programs and threads, or Go's. It decides where no table says which
// frame is the outermost, or memory ends just before that frame.
func rooted(p *profile.Profile, frames []int) bool {
	if len(frames) == 0 {
		return false
	}
	switch f := &p.Frames[frames[len(frames)-1]]; f.Name {
	case "_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone3", "clone",
		"__clone3", "__clone":
		return true
	default:
		return strings.HasPrefix(f.Name, "runtime.") || f.Module == "[kernel]"
	}
}
