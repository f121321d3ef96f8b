package nonscaling

// bracket is the estimator for counters that real processors have. The time that loads keep a
// thread waiting beyond the core's clock domain lies between the time it was stalled with such a
// load outstanding and the time one was outstanding at all. Stall time contains the core's own
// lookup, so that it can exceed the other: the lesser of the two is the lower bound.
//
// Where the time with a load to memory outstanding is counted, it is a lower bound too: such a load
// outlasts what the core has left to do beside it (at 1 GHz and two instructions a cycle, 128 in
// flight are done in 64 ns), so the core comes to wait for it.
//
// Many processors cannot count the second, or stores outstanding. Then the bracket has no width:
// the time stalled, and that with a full store queue, is all there is.
//
// Lines that come from another core's cache are part of both, and partly scale, but no counter of
// the set distinguishes them from hits in the shared cache. Of the time without a load to memory
// outstanding, half the accesses are taken to be of either kind; where the memory's part is not
// counted, all of it is left as it is.
type bracket struct {
	stall, occ, dram, full, rfo, cycles int // columns; -1 for those that are not there

	latencies Latencies
	without   Rules
	outside   float64 // share of a load's time that is not the core's lookup, if it goes to memory
	transfer  float64 // share of the on-chip time that is another core's, in the core's clock
}

// bracketColumns names the columns of a bracket; "" for those that are not counted.
type bracketColumns struct{ stall, occupied, memory, full, out, cycles string }

// bracketOf makes a bracket over the named columns.
func bracketOf(names bracketColumns) func(Columns, Options) Splitter {
	return func(c Columns, opt Options) Splitter {
		b := &bracket{stall: c.Index(names.stall), occ: c.Index(names.occupied),
			dram: c.Index(names.memory), full: -1, rfo: -1, cycles: c.Index(names.cycles),
			latencies: opt.Latencies, without: opt.Without}
		if opt.Burst {
			b.full, b.rfo = c.Index(names.full), c.Index(names.out)
		}
		return b
	}
}

func (b *bracket) Rebase(base float64) {
	m, cycle := &b.latencies, 1e9/base
	b.outside = m.MemoryNs / (m.MemoryNs + m.LookupCycles*cycle)
	inCore := m.TransferCycles * cycle
	b.transfer = inCore / (m.SharedNs + m.TransferNs + inCore)
}

func (b *bracket) Split(v []int64, dur int64) (p Parts, clamped bool) {
	p = Parts{Dur: dur, Lo: v[b.stall], Hi: v[b.stall]}
	if b.occ < 0 {
		p.Lo = int64(float64(p.Lo)*b.outside + 0.5)
		p.Hi = p.Lo
	} else {
		p.Hi = v[b.occ]
		p.Lo = min(p.Lo, p.Hi)
	}
	var onChip int64
	if b.dram >= 0 {
		p.Mem = min(v[b.dram], p.Hi)
		p.Lo = max(p.Lo, p.Mem)
		onChip = p.Hi - p.Mem
	}
	if b.full >= 0 {
		p.Stall, p.Out = v[b.full], v[b.full]
		if b.rfo >= 0 {
			p.Out = v[b.rfo]
			p.Stall = min(p.Stall, p.Out)
		}
		if b.without&OverlappingStores != 0 {
			p.OneByOne = p.Out
		}
	}
	if b.cycles >= 0 {
		scale := 0.0
		if c := v[b.cycles]; c > 0 {
			scale = float64(dur) / float64(c)
		}
		for _, x := range []*int64{&p.Lo, &p.Hi, &onChip, &p.Stall, &p.Out, &p.OneByOne,
			&p.Mem} {
			*x = int64(float64(*x)*scale + 0.5)
		}
	}
	// The transfer's share comes off both ends; the lower one contains it only as far as it
	// reaches.
	core := int64(float64(onChip) * b.transfer)
	p.Hi -= core
	p.Lo = min(p.Lo, p.Hi)
	p.Mem += p.Stall
	clamped = p.Clamp()
	return p, clamped
}
