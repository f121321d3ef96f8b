package predictor

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
)

// plain is the second implementation: the models as the paper words them, one epoch at a time over
// maps, without regard to speed. base is the frequency of each epoch.
type plain struct {
	es       []epochs.Epoch
	base     []float64
	f, alpha float64
	bracket  bool // lo/hi columns; else crit_dram
	burst    bool
	marks    []int // first epochs of phases
}

// stretch is a time of a thread and what its counters say of it: the bracket of the loads, stores
// that stall and that are out, waiting for memory, the time for which the memory was busy, and that
// waited for instructions.
type stretch struct{ base, dur, lo, hi, stall, out, mem, busy, fetch float64 }

// split is the stretch of a row. It rounds to whole units where an estimator does.
func (p *plain) split(i int, row epochs.Row) stretch {
	col := func(name string) float64 {
		for j, c := range testColumns {
			if c == name {
				return float64(row.Values[j])
			}
		}
		panic("no column " + name)
	}
	s := stretch{base: p.base[i], dur: float64(p.es[i].Dur)}
	if p.bracket {
		occupied := col("occ_off")
		memory := math.Min(col("occ_dram"), occupied)
		s.hi = occupied
		if p.threads(i) > 1 {
			s.hi -= math.Floor((occupied - memory) *
				inCore(1e9/s.base, occupied-memory, col("ld_off")-col("ld_dram")))
		}
		s.lo = math.Min(math.Max(math.Min(col("stall_off"), occupied), memory), s.hi)
		s.stall, s.out = math.Min(col("sq_full_nold"), col("rfo_off")), col("rfo_off")
		s.mem = memory
		if p.burst {
			s.mem += s.stall
		}
		s.fetch = math.Max(0, col("rob_empty")-math.Floor(0.3*(1e9/s.base)*col("insts"))-
			col("sq_full_nold"))
	} else {
		s.lo = col("crit_dram")
		s.hi, s.stall, s.out = s.lo, col("sq_full"), col("sq_full")
	}
	if !p.burst {
		s.stall, s.out = 0, 0
	}
	s.lo, s.hi = math.Min(s.lo, s.dur), math.Min(s.hi, s.dur)
	s.stall, s.out = math.Min(s.stall, s.dur-s.hi), math.Min(s.out, s.dur-s.hi)
	s.mem = math.Min(s.mem, s.lo+s.stall)
	s.lo, s.hi = math.Min(s.lo+s.fetch, s.dur), math.Min(s.hi+s.fetch, s.dur)
	s.stall, s.out = math.Min(s.stall, s.dur-s.hi), math.Min(s.out, s.dur-s.hi)
	s.mem = math.Min(s.mem, s.lo+s.stall)
	return s
}

// busy is the time for which the memory was busy in epoch i, for a thread that waited mem for it:
// the whole time in which it moved lines, and less for a thread that waited less than the mean.
func (p *plain) busy(i int, mem float64) float64 {
	e := &p.es[i]
	first := e.Rows[0].Values // the machine's lines, in every row
	lines := float64(first[len(first)-2] + first[len(first)-1])
	var sum float64
	for _, r := range e.Rows {
		sum += p.split(i, r).mem
	}
	if sum == 0 {
		return 0
	}
	return math.Floor(math.Min(5*lines, float64(e.Dur)) * math.Min(mem*float64(len(e.Rows))/sum, 1))
}

// predicted is the time of a row at the target frequency.
func (p *plain) predicted(i int, row epochs.Row) float64 {
	dur := float64(p.es[i].Dur)
	s := p.split(i, row)
	non := s.lo + p.alpha*(s.hi-s.lo) + s.stall
	return (dur-non)*p.base[i]/p.f + non
}

func (p *plain) perEpoch() float64 {
	var total float64
	for i, e := range p.es {
		if len(e.Rows) == 0 {
			total += float64(e.Dur)
			continue
		}
		var longest float64
		for _, r := range e.Rows {
			longest = math.Max(longest, p.predicted(i, r))
		}
		total += longest
	}
	return total
}

// across is Algorithm 1, line by line.
func (p *plain) across() float64 {
	delta := map[epochs.TID]float64{}
	var total float64
	for i, e := range p.es {
		alpha := map[epochs.TID]float64{}
		largest := math.Inf(-1)
		for _, r := range e.Rows {
			alpha[r.Thread] = p.predicted(i, r)
			largest = math.Max(largest, alpha[r.Thread]-delta[r.Thread])
		}
		if len(e.Rows) == 0 {
			largest = float64(e.Dur)
		}
		for t, a := range alpha {
			delta[t] = (largest - a) + delta[t]
		}
		for _, x := range e.Ends {
			if x.Kind == epochs.EndSleep || x.Kind == epochs.EndOtherSleep {
				delta[x.Thread] = 0
			}
		}
		total += largest
	}
	return total
}

func (p *plain) mcrit() float64 { return p.lives(0, len(p.es)) }

// coop adds up M+CRIT of the phases, which begin at p.marks.
func (p *plain) coop() float64 {
	var total float64
	from := 0
	for _, to := range append(append([]int{}, p.marks...), len(p.es)) {
		total += p.lives(from, to)
		from = to
	}
	return total
}

// lives is M+CRIT of the epochs a to b.
func (p *plain) lives(a, b int) float64 {
	n := len(p.es)
	first, last := map[epochs.TID]int{}, map[epochs.TID]int{}
	for _, e := range p.es {
		for _, r := range e.Rows {
			first[r.Thread], last[r.Thread] = 0, n
		}
		for _, x := range e.Ends {
			if x.Thread != epochs.NoThread {
				first[x.Thread], last[x.Thread] = 0, n
			}
			if x.By != epochs.NoThread {
				first[x.By], last[x.By] = 0, n
			}
		}
	}
	order := []epochs.TID{}
	for i, e := range p.es {
		for _, x := range e.Ends {
			if x.Kind == epochs.EndStart {
				first[x.Thread] = i + 1
			}
			if x.Kind == epochs.EndExit {
				last[x.Thread] = i + 1
			}
		}
	}
	ran := map[epochs.TID]bool{}
	for i := a; i < b; i++ {
		for _, r := range p.es[i].Rows {
			ran[r.Thread] = true
		}
	}
	for t := range first {
		if !ran[t] {
			continue
		}
		order = append(order, t)
		first[t], last[t] = max(first[t], a), min(last[t], b)
	}
	life := func(t epochs.TID, to float64, least bool) float64 {
		var sum float64
		for i := first[t]; i < last[t]; i++ {
			r := 1.0
			if len(p.es[i].Rows) > 0 && !least {
				r = p.base[i] / to
			}
			sum += float64(p.es[i].Dur) * r
			for _, row := range p.es[i].Rows {
				if row.Thread == t && !least {
					sum += p.predicted(i, row) - float64(p.es[i].Dur)*r
				}
			}
		}
		return sum
	}
	var best, longest float64
	covered := map[int]bool{}
	for _, t := range order {
		best = math.Max(best, life(t, p.f, false))
		longest = math.Max(longest, life(t, 0, true))
	}
	// Of several longest lives any covers; they differ only by epochs without length.
	for _, t := range order {
		if life(t, 0, true) == longest {
			for i := first[t]; i < last[t]; i++ {
				covered[i] = true
			}
			break
		}
	}
	for i := a; i < b; i++ {
		switch e := p.es[i]; {
		case covered[i]:
		case len(e.Rows) == 0:
			best += float64(e.Dur)
		default:
			best += float64(e.Dur) * p.base[i] / p.f
		}
	}
	return best
}
