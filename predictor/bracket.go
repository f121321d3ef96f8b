package predictor

// bracket is the estimator for counters that real processors have. The time that loads keep a
// thread waiting beyond the core's clock domain lies between the time it was stalled with such a
// load outstanding and the time one was outstanding at all. Stall time contains the core's own
// look-up, so that it can exceed the other: the lesser of the two is the lower bound.
//
// Where the time with a load to memory outstanding is counted, it is a lower bound too: such a load
// outlasts what the core has left to do beside it (at 1 GHz and two instructions a cycle, 128 in
// flight are done in 64 ns), so the core comes to wait for it.
//
// Many processors can not count the second, or stores outstanding. Then the bracket has no width:
// the time stalled, and that with a full store queue, is all there is.
//
// Lines that come from another core's cache are part of both, and partly scale, but no counter of
// the set tells them from hits in the shared cache. Of the time without a load to memory
// outstanding, half the accesses are taken to be of either kind; where the memory's part is not
// counted, all of it is left as it is.
type bracket struct {
	stall, occ, dram, full, rfo, cycles int // columns; -1 for those that are not there

	machine  Machine
	outside  float64 // share of a load's time that is not the core's look-up, if it goes to memory
	transfer float64 // share of the on-chip time that is another core's, in the core's clock
}

func newBracket(c *columns, cfg config, stall, occ, dram, full, rfo, cycles string) splitter {
	b := &bracket{stall: c.index(stall), occ: c.index(occ), dram: c.index(dram), full: -1, rfo: -1,
		cycles: c.index(cycles), machine: cfg.machine}
	if cfg.burst {
		b.full, b.rfo = c.index(full), c.index(rfo)
	}
	return b
}

func (b *bracket) rebase(base float64) {
	m, cycle := &b.machine, 1e9/base
	b.outside = m.MemoryNs / (m.MemoryNs + m.LookupCycles*cycle)
	inCore := m.TransferCycles * cycle
	b.transfer = inCore / (m.SharedNs + m.TransferNs + inCore)
}

func (b *bracket) split(v []int64, dur int64) (p parts, clamped bool) {
	p = parts{dur: dur, lo: v[b.stall], hi: v[b.stall]}
	if b.occ < 0 {
		p.lo = int64(float64(p.lo)*b.outside + 0.5)
		p.hi = p.lo
	} else {
		p.hi = v[b.occ]
		p.lo = min(p.lo, p.hi)
	}
	var onChip int64
	if b.dram >= 0 {
		p.mem = min(v[b.dram], p.hi)
		p.lo = max(p.lo, p.mem)
		onChip = p.hi - p.mem
	}
	if b.full >= 0 {
		p.stall, p.out = v[b.full], v[b.full]
		if b.rfo >= 0 {
			p.out = v[b.rfo]
			p.stall = min(p.stall, p.out)
		}
	}
	if b.cycles >= 0 {
		scale := 0.0
		if c := v[b.cycles]; c > 0 {
			scale = float64(dur) / float64(c)
		}
		for _, x := range []*int64{&p.lo, &p.hi, &onChip, &p.stall, &p.out, &p.mem} {
			*x = int64(float64(*x)*scale + 0.5)
		}
	}
	// The transfer's share comes off both ends; the lower one contains it only as far as it
	// reaches.
	core := int64(float64(onChip) * b.transfer)
	p.hi -= core
	p.lo = min(p.lo, p.hi)
	p.mem += p.stall
	clamped = p.clamp()
	return p, clamped
}
