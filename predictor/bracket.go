package predictor

// bracket is the estimator for counters that real processors have. The time that loads keep a thread waiting beyond the
// core's clock domain lies between the time it was stalled with such a load outstanding and the time one was
// outstanding at all. Stall time contains the core's own look-up, so that it can exceed the other: the lesser of the two
// is the lower bound.
//
// Lines that come from another core's cache are part of both, and partly scale, but no counter of the set tells them
// from hits in the shared cache. Of the time without a load to memory outstanding, half the accesses are taken to be of
// either kind; where the memory's part is not counted, all of it is left as it is.
type bracket struct {
	stall, occ, dram, full, rfo, cycles int // columns; -1 for those that are not there

	machine  Machine
	transfer float64 // share of the on-chip time that is another core's, in the core's clock
}

func newBracket(c *columns, cfg config, stall, occ, dram, full, rfo, cycles string) splitter {
	b := &bracket{stall: c.index(stall), occ: c.index(occ), dram: c.index(dram), full: -1, rfo: -1, cycles: c.index(cycles), machine: cfg.machine}
	if cfg.burst {
		b.full, b.rfo = c.index(full), c.index(rfo)
	}
	return b
}

func (b *bracket) rebase(base float64) {
	m, cycle := &b.machine, 1e9/base
	inCore := m.TransferCycles * cycle
	b.transfer = inCore / (m.SharedNs + m.TransferNs + inCore)
}

func (b *bracket) split(v []int64, dur int64) (p parts, clamped bool) {
	p = parts{dur: dur, hi: v[b.occ]}
	p.lo = min(v[b.stall], p.hi)
	var onChip int64
	if b.dram >= 0 {
		onChip = max(p.hi-v[b.dram], 0)
	}
	if b.full >= 0 {
		p.out = v[b.rfo]
		p.stall = min(v[b.full], p.out)
	}
	if b.cycles >= 0 {
		scale := 0.0
		if c := v[b.cycles]; c > 0 {
			scale = float64(dur) / float64(c)
		}
		for _, x := range []*int64{&p.lo, &p.hi, &onChip, &p.stall, &p.out} {
			*x = int64(float64(*x)*scale + 0.5)
		}
	}
	// The transfer's share comes off both ends; the lower one contains it only as far as it reaches.
	core := int64(float64(onChip) * b.transfer)
	p.hi -= core
	p.lo = min(p.lo, p.hi)
	clamped = p.clamp()
	return p, clamped
}
