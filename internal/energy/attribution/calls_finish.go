package attribution

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/instrumented"
	"github.com/ebb-energy/ebb/internal/sandbox/protocol"
	"github.com/ebb-energy/ebb/units"
)

// maxListed bounds the functions in a report.
const maxListed = 4096

// counted is a function's calls with its invocations.
type counted struct {
	calls uint64
	energy.Invocations
}

// counts are the calls that the programs counted themselves.
type counts struct {
	of        map[protocol.Address]uint64
	strangers uint64 // calls in processes that are not known
	totals    instrumented.Totals
	more      bool
	err       error
}

// count asks the child for the calls that were counted.
func (c *calls) count(ctx context.Context) (out counts) {
	if c == nil {
		return out
	}
	out.of = map[protocol.Address]uint64{}
	out.totals, out.more, out.err = c.cfg.Rings.Calls(ctx, maxCounts, func(x *instrumented.Calls) {
		if image, ok := c.image(c.cfg.firstID(x.PID), units.Instant(min(x.Born, 1<<62))); ok {
			key := protocol.Address{Image: image, Addr: x.Function}
			if _, known := out.of[key]; known || len(out.of) < maxCalled {
				out.of[key] += x.Calls
				return
			}
		}
		out.strangers += x.Calls
	})
	return out
}

// finish adds the functions to a profile that has its stacks.
func (c *calls) finish(ctx context.Context, p *profile.Profile, f *frames, n counts) error {
	if c == nil {
		return nil
	}
	for i := range c.waiting {
		c.price(&c.waiting[i])
	}
	c.waiting = nil
	c.add()
	s := &c.cfg.Settings
	out := &profile.Functions{
		InstructionNJ: c.line.PerInstruction(),
		PeriodNS:      int64(c.cfg.Length), Groups: int(max(s.Groups, 1)),
		Grouping: [...]string{"address", "name", "chance"}[s.Grouping],
		Pick:     [...]string{"any", "first"}[s.Pick], PerPeriod: int(max(s.Records, 1)),
		Counters: c.cfg.Counters, Threads: n.totals.Threads, Records: c.records,
		RefusedThreads: n.totals.Refused, UncountedCalls: n.totals.Uncounted,
		Unbegun: n.totals.Dropped, Abandoned: n.totals.Abandoned, Open: n.totals.Open,
		Lost: c.cfg.Rings.LostRecords(), Unknown: c.unknown, Surplus: c.surplus,
		WithoutCounters: n.totals.NoCounter, List: []profile.Function{},
	}
	p.Functions = out
	if n.err != nil {
		return n.err
	}
	if n.more {
		c.of.problems = append(c.of.problems,
			"calls of functions: there are too many: the counts are of some alone")
	}
	out.UncountedCalls += n.strangers
	rows := c.byName(ctx, n.of, f)
	c.list(out, rows, p)
	return c.cover(ctx, out, n.of, rows, p)
}

// byName names all functions, and adds up those of one name and file.
func (c *calls) byName(
	ctx context.Context, all map[protocol.Address]uint64, f *frames,
) map[int]*counted {
	for a := range c.known {
		all[a] += 0
	}
	list := slices.SortedFunc(maps.Keys(all), func(a, b protocol.Address) int {
		return cmp.Or(cmp.Compare(a.Image, b.Image), cmp.Compare(a.Addr, b.Addr))
	})
	names := make([]protocol.Frame, 0, len(list))
	const atATime = 4096
	for some := range slices.Chunk(list, atATime) {
		names = append(names, c.of.cfg.Reader.Names(ctx, some)...)
	}
	borrow(list, names)
	out := map[int]*counted{}
	for i, a := range list {
		n := f.number(names[i])
		if out[n] == nil {
			out[n] = &counted{}
		}
		out[n].calls += all[a]
		if k := c.known[a]; k != nil {
			out[n].Merge(k)
		}
	}
	return out
}

// borrow names functions that have no name. It takes the name that all other processes have at the
// same address, because a process that was forked and ended at once had its parent's code. A Java
// method has a number in the place of an address, and each Java machine numbers its own.
func borrow(list []protocol.Address, names []protocol.Frame) {
	at := map[uint64]protocol.Frame{}
	none := protocol.Frame{}
	for i, a := range list {
		if names[i].Kind == "unresolved" {
			continue
		}
		if known, ok := at[a.Addr]; ok && known != names[i] {
			at[a.Addr] = none
		} else {
			at[a.Addr] = names[i]
		}
	}
	for i, a := range list {
		if a.Addr >= instrumented.Managed {
			continue
		}
		if n := at[a.Addr]; names[i].Kind == "unresolved" && n != none {
			names[i] = n
		}
	}
}

// list makes the rows, most energy first.
func (c *calls) list(out *profile.Functions, rows map[int]*counted, p *profile.Profile) {
	sampled, hooks := inclusive(p)
	out.HooksShare = hooks
	for n, x := range rows {
		out.Calls += x.calls
		out.Called++
		if x.calls == 1 {
			out.Once++
		}
		if x.Records > 0 {
			out.Profiled++
		}
		f := &p.Frames[n]
		out.List = append(out.List, c.row(f, x, sampled[named{f.Name, f.Module}]))
	}
	slices.SortFunc(out.List, func(a, b profile.Function) int {
		return cmp.Or(cmp.Compare(b.TotalNJ, a.TotalNJ), cmp.Compare(b.Calls, a.Calls),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Module, b.Module))
	})
	if n := len(out.List); n > maxListed {
		out.List, out.More = out.List[:maxListed], n-maxListed
	}
}

func (c *calls) row(name *profile.Frame, x *counted, sampled int64) profile.Function {
	row := profile.Function{
		Name: name.Name, Module: name.Module, Calls: x.calls, Records: x.Records,
		MeanNJ: int64(x.Mean()), DeviationNJ: int64(x.Deviation()), LeastNJ: int64(x.Least),
		MostNJ: int64(x.Most), WallNS: int64(x.Wall()), CPUNS: int64(x.CPU()),
		FreqHz:    int64(x.Clock()),
		Recursive: x.Recursive, SampledNJ: sampled,
	}
	row.TotalNJ = int64(min(float64(row.MeanNJ)*float64(x.calls), 1<<62))
	if row.Recursive { // its invocations overlap, while samples count each moment once
		row.TotalNJ = row.SampledNJ
	}
	if x.Records > 0 && row.CPUNS < profile.ShortNS {
		return shortened(row)
	}
	if low, high, ok := x.Interval(); ok {
		l, h := int64(low), int64(high)
		row.LowNJ, row.HighNJ = &l, &h
	}
	row.Switches = x.Switches()
	if means := x.Counts(); x.Counted > 0 {
		row.Counts = means[:min(len(c.cfg.Counters), len(means))]
	}
	for _, b := range x.Bins() {
		row.Spread = append(row.Spread, profile.Range{FromNJ: int64(b.From), ToNJ: int64(b.To),
			Records: b.Records})
	}
	return row
}

// shortened returns the row of a function whose invocations are too short to be measured one by
// one. Its calls are exact, and its energy is by samples.
func shortened(row profile.Function) profile.Function {
	row.Short, row.MeanNJ, row.TotalNJ = true, 0, row.SampledNJ
	if row.Calls > 0 {
		row.MeanNJ = int64(float64(row.SampledNJ) / float64(row.Calls))
	}
	row.DeviationNJ, row.LeastNJ, row.MostNJ = 0, 0, 0
	return row
}

// named is a function by its name. A Java method has two frames, because it is interpreted at
// first.
type named struct{ name, module string }

// inclusive returns the sampled energy of all stacks that each function is in, by the first rule.
// hooks is the share of all energy in stacks in which a program counts its calls.
func inclusive(p *profile.Profile) (out map[named]int64, hooks float64) {
	out = map[named]int64{}
	seen := map[named]bool{}
	var counting, all int64
	for i := range p.Stacks {
		s := &p.Stacks[i]
		clear(seen)
		all += s.EnergyNJ[0]
		if p.Counting(s) {
			counting += s.EnergyNJ[0]
		}
		for _, n := range s.Frames {
			f := named{p.Frames[n].Name, p.Frames[n].Module}
			if !seen[f] {
				seen[f] = true
				out[f] += s.EnergyNJ[0]
			}
		}
	}
	return out, float64(counting) / float64(max(all, 1))
}
