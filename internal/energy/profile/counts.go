package profile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ebb-energy/ebb/internal/energy"
)

// Counts are the exact calls of functions that the user named (ebb run --count), and the energy of
// an invocation by the samples.
type Counts struct {
	// CostNS is about the CPU time that counting took, by CostSamples samples in the kernel's
	// breakpoints. Where CostSamples is 0, it is calls times the cost of one. The program's time
	// and energy include it.
	CostNS      int64 `json:"cost_ns"`
	CostSamples int   `json:"cost_samples,omitempty"`
	// CallNS and SteppedNS are the cost of a call on this machine when the run began, where the
	// kernel emulates the function's first instruction and where it steps the thread; 0: not
	// measured. Older reports do not have them.
	CallNS    int64          `json:"call_ns,omitempty"`
	SteppedNS int64          `json:"stepped_call_ns,omitempty"`
	List      []CountedCalls `json:"list"`
}

// CountedCalls is a function whose calls were counted. Energies of an invocation are the sampled
// energy over the calls, by the profile's first rule. Its part of the samples has a 95 % interval;
// the calls are exact. They are null where the function was not called, or where samples do not
// distinguish it from another that was counted.
type CountedCalls struct {
	Name   string `json:"name"` // the name that the user gave
	Shown  string `json:"shown_name"`
	Module string `json:"module"` // the file's name without its directory
	File   string `json:"file"`
	Places int    `json:"places"` // number of places at which functions of this name begin
	// Stepped reports that the kernel stops a thread twice at some of the places.
	Stepped bool   `json:"stepped,omitempty"`
	Calls   uint64 `json:"calls"`
	// OtherCalls are calls by programs that were not observed. They were stopped as well.
	OtherCalls uint64 `json:"other_calls,omitempty"`
	// Samples is the number of samples with it in their stack.
	Samples int `json:"samples"`
	// With includes all that it called in its thread, Self does not.
	With *PerCall `json:"with_callees"`
	Self *PerCall `json:"self"`
}

// PerCall is the mean energy of an invocation, in nJ, with the ends of its 95 % interval.
type PerCall struct {
	MeanNJ float64 `json:"mean_nj"`
	LowNJ  float64 `json:"low_nj"`
	HighNJ float64 `json:"high_nj"`
}

// The CPU time of counting a call where a run has not measured it, as docs/functions.md has it of a
// virtual machine: at an entry that the kernel emulates, and at one that it has the thread execute
// step by step.
const (
	countNS   = 560
	steppedNS = 10800
)

// Price gives counted functions their energy by the samples, and books what counting has cost.
func (p *Profile) Price(c *Counts) {
	p.Counts = c
	for i := range c.List {
		x := &c.List[i]
		call, stepped := c.costs()
		if x.Stepped {
			call = stepped
		}
		c.CostNS += int64(min(float64(x.Calls)*float64(call), 1<<60))
	}
	p.priceCalls(c)
	if cost, samples := p.counting(); samples >= leastCounting {
		c.CostNS, c.CostSamples = cost, samples
	}
}

// priceCalls gives counted functions their energy by the samples, or their CPU time.
func (p *Profile) priceCalls(c *Counts) {
	for i := range c.List {
		x := &c.List[i]
		same := func(y CountedCalls) bool { return y.Module == x.Module && y.Shown == x.Shown }
		if x.Calls == 0 || slices.ContainsFunc(c.List[:i], same) ||
			slices.ContainsFunc(c.List[i+1:], same) || p.Unsampled() {
			continue
		}
		with, samples := p.callShare(x, func(f []int, is func(int) bool) bool {
			return slices.ContainsFunc(f, is)
		})
		self, _ := p.callShare(x, func(f []int, is func(int) bool) bool {
			return len(f) > 0 && is(f[0])
		})
		x.With, x.Self, x.Samples = with, self, samples
	}
}

// leastCounting is the number of samples from which on they say what counting took: their own error
// is a seventh then. The cost of a call changes by more from one moment to the next.
const leastCounting = 50

// atBreakpoints are parts of the names of the kernel's functions that handle breakpoints and single
// steps, on x86-64 and arm64.
var atBreakpoints = []string{"uprobe", "exc_int3", "exc_debug", "el0_brk64", "el0_softstp",
	"el0_dbg"}

// counting returns the CPU time in breakpoints, and the number of its samples.
func (p *Profile) counting() (ns int64, samples int) {
	for i := range p.Stacks {
		s := &p.Stacks[i]
		for _, f := range s.Frames {
			f := &p.Frames[f]
			if f.Kind != "kernel" {
				break
			}
			if slices.ContainsFunc(atBreakpoints, func(part string) bool {
				return strings.Contains(f.Name, part)
			}) {
				ns, samples = ns+s.CPUNS, samples+s.Samples
				break
			}
		}
	}
	return ns, samples
}

// calls returns the number of all calls that were counted, of others as well.
func (c *Counts) calls() (n uint64) {
	for i := range c.List {
		n += c.List[i].Calls
	}
	return n
}

// costs returns the cost of a call, in ns, and its cost where the kernel steps the thread.
func (c *Counts) costs() (call, stepped int64) {
	return cmp.Or(c.CallNS, countNS), cmp.Or(c.SteppedNS, steppedNS)
}

// Stepping returns a sentence on a function whose calls the kernel steps; "" for others.
func (c *Counts) Stepping(x *CountedCalls) string {
	if !x.Stepped {
		return ""
	}
	_, stepped := c.costs()
	return fmt.Sprintf("%s in %s: the kernel stops the thread twice at each call, for some %v: "+
		"that time is in the energy of its callers and its own", x.Name, x.File,
		time.Duration(stepped))
}

// callShare returns a function's energy per call, from the stacks that count.
func (p *Profile) callShare(
	x *CountedCalls, counts func(frames []int, is func(int) bool) bool,
) (*PerCall, int) {
	is := func(i int) bool {
		f := &p.Frames[i]
		return f.Module == x.Module && (f.Name == x.Shown || f.Name == x.Name)
	}
	parts, samples, own, all := p.sampled(0), 0, 0.0, 0.0
	for i := range p.Stacks {
		s := &p.Stacks[i]
		e := float64(s.EnergyNJ[0])
		all += e
		if counts(s.Frames, is) {
			parts[s.Thread].Own += e
			own += e
			samples += s.Samples
		}
	}
	low, high := energy.Interval(parts)
	n := float64(x.Calls)
	return &PerCall{own / n, low * all / n, high * all / n}, samples
}

// counted returns the function that a unit of a view of methods is; nil for none or for several.
func (p *Profile) counted(v *View, unit string) (found *CountedCalls) {
	if p.Counts == nil || v.by != "method" {
		return nil
	}
	for i := range p.Counts.List {
		if x := &p.Counts.List[i]; x.Shown == unit {
			if found != nil {
				return nil
			}
			found = x
		}
	}
	if found != nil && slices.ContainsFunc(p.Frames, func(f Frame) bool {
		return f.Name == unit && f.Module != found.Module
	}) {
		return nil // the unit has both
	}
	return found
}

// perCall notes the energy of a call of the row's unit, where the calls were counted.
func (r *Row) perCall(x *CountedCalls, total float64) {
	if x == nil {
		return
	}
	r.Calls = &x.Calls
	if n := float64(x.Calls); n > 0 && !math.IsNaN(total) {
		r.PerCall = &PerCall{float64(r.Energy) / n, r.Low * total / n, r.High * total / n}
	}
}
