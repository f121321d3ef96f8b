package profile

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
)

// Row is one unit of a view.
type Row struct {
	Unit    string  `json:"unit"`
	Rank    int     `json:"rank"`      // rank from 1; indistinguishable units share theirs
	Energy  int64   `json:"energy_nj"` // energy by the requested rule
	Share   float64 `json:"share"`     // share of the attributed energy
	Low     float64 `json:"share_low"` // 95 % interval of Share, from the samples
	High    float64 `json:"share_high"`
	TimeNS  int64   `json:"cpu_ns"`
	Watts   float64 `json:"watts"` // Energy over TimeNS: power while it ran
	Samples int     `json:"samples"`
	// Rules is the energy by every rule of the profile.
	Rules []int64 `json:"rules_nj"`
	// Network is its traffic; nil when that was not counted. Its energy is not part of Energy.
	Network *Traffic `json:"network,omitempty"`
	// Calls are exact, of a function that was named to be counted; PerCall is Energy for each.
	Calls   *uint64  `json:"calls,omitempty"`
	PerCall *PerCall `json:"per_call,omitempty"`
	// Sum is Energy plus the network's energy. SumOf is where the two come from, such as "measured
	// + modelled". Only AddNetwork sets them.
	Sum     *int64          `json:"sum_nj,omitempty"`
	SumOf   string          `json:"sum_of,omitempty"`
	threads map[int]float64 // Energy that each of Threads has
}

// Rows adds the profile up by a view, the most energy first. Rule is an index into Rules.
func (p *Profile) Rows(v *View, rule int) []Row {
	times := p.StackTimes()
	rows := map[string]*Row{}
	row := func(unit string) *Row {
		r := rows[unit]
		if r == nil {
			r = &Row{Unit: unit, Rules: make([]int64, len(p.Rules)), threads: map[int]float64{}}
			if p.Network != nil {
				r.Network = &Traffic{}
			}
			rows[unit] = r
		}
		return r
	}
	v.traffic(row)
	total := 0.0
	for i := range p.Stacks {
		s := &p.Stacks[i]
		for _, x := range v.parts(s, times[i]) {
			r := row(x.unit)
			for j, e := range x.energy {
				r.Rules[j] += e
			}
			r.Energy += x.energy[rule]
			r.Samples += x.samples
			r.threads[s.Thread] += float64(x.energy[rule])
			total += float64(x.energy[rule])
			r.TimeNS += x.time
		}
	}
	out := make([]Row, 0, len(rows))
	threads := p.sampled(rule)
	parts := make([]energy.Part, len(threads))
	for _, r := range rows {
		if total > 0 {
			r.Share = float64(r.Energy) / total
		}
		copy(parts, threads)
		for i, e := range r.threads {
			parts[i].Own = e
		}
		r.Low, r.High = energy.Interval(parts)
		if v.exact() && !p.carries(v, r) {
			// which thread ran is not sampled
			r.Low, r.High = r.Share, r.Share
		}
		if r.TimeNS > 0 {
			r.Watts = float64(r.Energy) / float64(r.TimeNS)
		}
		r.perCall(p.counted(v, r.Unit), total)
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Energy, a.Energy),
			cmp.Compare(b.Network.All(), a.Network.All()), cmp.Compare(a.Unit, b.Unit))
	})
	rank(out)
	return out
}

// sampled returns the threads' parts, with an empty share. The squares are kept by the first rule.
// By another rule a sample stands for as much more or less as its thread has.
func (p *Profile) sampled(rule int) []energy.Part {
	parts, first := make([]energy.Part, len(p.Threads)), make([]float64, len(p.Threads))
	for i := range p.Stacks {
		s := &p.Stacks[i]
		parts[s.Thread].All += float64(s.EnergyNJ[rule])
		parts[s.Thread].Squares += s.Squares
		first[s.Thread] += float64(s.EnergyNJ[0])
	}
	for i, e := range first {
		if e > 0 {
			parts[i].Squares *= (parts[i].All / e) * (parts[i].All / e)
		}
	}
	return parts
}

// exact reports whether the view's units come from the scheduler, not from samples.
func (v *View) exact() bool {
	return slices.Contains([]string{"thread", "process", "pid", "phase"}, v.by)
}

// rank numbers the rows. A row whose interval overlaps with that of the first of its rank gets the
// same rank: the samples do not show which of them is ahead.
func rank(rows []Row) {
	for i := range rows {
		rows[i].Rank = i + 1
		if i == 0 {
			continue
		}
		first := rows[i-1].Rank - 1
		if rows[i].High >= rows[first].Low && rows[i].Low <= rows[first].High &&
			rows[first].Low < rows[first].High {
			rows[i].Rank = first + 1
		}
	}
}

// times are for reports that do not have the times: the CPU time that each thread's samples stand
// for, exact time over samples, and the CPU time of threads without samples.
func (p *Profile) times() (perSample []float64, unseen []int64) {
	samples := make([]int, len(p.Threads))
	for i := range p.Stacks {
		samples[p.Stacks[i].Thread] += p.Stacks[i].Samples
	}
	perSample, unseen = make([]float64, len(p.Threads)), make([]int64, len(p.Threads))
	for i, n := range samples {
		if n > 0 {
			perSample[i] = float64(p.Threads[i].RunNS) / float64(n)
		} else {
			unseen[i] = p.Threads[i].RunNS
		}
	}
	return perSample, unseen
}

// Resolution counts the profile's samples by quality.
type Resolution struct {
	Samples  int
	Resolved int // the innermost frame's function has a name: a symbol's, a perf map's
	Placed   int // the function is known, but only by its place in its file
	File     int // only the file is known
	Unknown  int // not even the file is known
	// number of samples without a name below a function that has one and is no frame of the kernel
	// kernel
	Called int
	Cut    int // the walk did not come to the thread's beginning
}

// Resolution counts the samples.
func (p *Profile) Resolution() (r Resolution) {
	for i := range p.Stacks {
		s := &p.Stacks[i]
		r.Samples += s.Samples
		if s.Cut {
			r.Cut += s.Samples
		}
		switch {
		case len(s.Frames) == 0 || p.Frames[s.Frames[0]].unknown() ||
			p.Frames[s.Frames[0]].Name == NotKept:
			r.Unknown += s.Samples
		case p.Frames[s.Frames[0]].Kind == "unresolved":
			r.File += s.Samples
		case p.Frames[s.Frames[0]].Kind == "placed":
			r.Placed += s.Samples
		default:
			r.Resolved += s.Samples
			continue
		}
		if p.called(s) {
			r.Called += s.Samples
		}
	}
	return r
}

// called reports whether a stack has a function with a name.
func (p *Profile) called(s *Stack) bool {
	return slices.ContainsFunc(s.Frames, func(i int) bool {
		k := p.Frames[i].Kind
		return k == "native" || k == "jit" || k == "interpreted"
	})
}

// StackTimes returns the CPU time of each stack, in ns.
func (p *Profile) StackTimes() []int64 {
	out := make([]int64, len(p.Stacks))
	known := false
	for i := range p.Stacks {
		out[i] = p.Stacks[i].CPUNS
		known = known || out[i] != 0
	}
	if known {
		return out
	}
	perSample, unseen := p.times()
	for i := range p.Stacks {
		s := &p.Stacks[i]
		out[i] = int64(float64(s.Samples) * perSample[s.Thread])
		if s.Samples == 0 {
			out[i] = unseen[s.Thread]
			unseen[s.Thread] = 0
		}
	}
	return out
}
