package nonscaling

import "github.com/ebb-energy/ebb/epochs"

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
// Lines that come from another core's cache are part of both, and partly scale (onChip). Where the
// memory's part is not counted, all of the time is left as it is.
//
// Waiting for instructions comes on top: nothing else can be done meanwhile.
type bracket struct {
	// columns; -1 for those that are not there
	stall, occ, dram, full, rfo, cycles int
	loads, loadsDRAM, stores, insts     int
	empty                               int
	starved                             *starved // nil where the wait for instructions is left out

	latencies Latencies
	without   Rules
	perNs     float64 // time units in a ns; 0 if not known
	outside   float64 // share of a load's time to memory that is not the core's lookup
	onChip    onChip
	lines     lines
	sharing   sharing
}

// bracketColumns names the columns of a bracket; "" for those that are not counted.
type bracketColumns struct {
	stall, occupied, memory, full, out, cycles string
	loads, loadsMemory, storesMemory           string // numbers of accesses
	fetch                                      fetchColumns
}

// bracketOf makes a bracket over the named columns.
func bracketOf(names bracketColumns) func(Columns, Options) Splitter {
	return func(c Columns, opt Options) Splitter {
		b := &bracket{stall: c.Index(names.stall), occ: c.Index(names.occupied),
			dram: c.Index(names.memory), full: -1, rfo: -1, cycles: c.Index(names.cycles),
			loads: c.Index(names.loads), loadsDRAM: c.Index(names.loadsMemory),
			stores: c.Index(names.storesMemory), insts: c.Index(names.fetch.insts),
			empty:     c.Index(names.fetch.empty),
			lines:     newLines(c, names.memory, &opt),
			sharing:   newSharing(opt.Without),
			latencies: opt.Latencies, without: opt.Without}
		if opt.Unit != "" {
			b.perNs = opt.PerNs()
		}
		if opt.Without&InstructionFetch == 0 {
			b.starved = newStarved(c, &names)
		}
		if opt.Burst {
			b.full, b.rfo = c.Index(names.full), c.Index(names.out)
		}
		return b
	}
}

// Look implements Looker.
func (b *bracket) Look(e *epochs.Epoch) {
	b.lines.look(e)
	b.sharing.look(e)
}

func (b *bracket) Rebase(base float64) {
	m, cycle := &b.latencies, 1e9/base
	b.outside = m.MemoryNs / (m.MemoryNs + m.LookupCycles*cycle)
	b.onChip = newOnChip(m, cycle, b.without)
	if b.starved != nil {
		b.starved.refill = m.RefillCycles
		if b.cycles < 0 {
			b.starved.refill *= cycle * b.perNs
		}
	}
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
		switch {
		case b.without&OverlappingStores != 0:
			p.OneByOne = p.Out
		case b.stores >= 0 && b.insts >= 0 && b.perNs > 0:
			p.OneByOne = b.latencies.drain(v[b.stores], v[b.insts], b.lines.stores(), b.perNs)
		}
	}
	if b.empty >= 0 {
		p.Working = p.Stall - v[b.empty]
	}
	waited := b.starved.of(v)
	if b.cycles >= 0 {
		scale := 0.0
		if c := v[b.cycles]; c > 0 {
			scale = float64(dur) / float64(c)
		}
		for _, x := range []*int64{&p.Lo, &p.Hi, &onChip, &p.Stall, &p.Working, &p.Out,
			&p.OneByOne, &p.Mem, &waited} {
			*x = int64(float64(*x)*scale + 0.5)
		}
	}
	// The time in other cores' clock comes off both ends; the lower one contains it only as far as
	// it reaches.
	var core int64
	if !b.sharing.alone() {
		core = int64(float64(onChip) * b.onChip.inCore(b.least(v, onChip)))
	}
	p.Hi -= core
	p.Lo = min(p.Lo, p.Hi)
	p.Mem += p.Stall
	clamped = p.Clamp() || waited > dur
	// Values that are in bounds may well add up to more.
	p.Lo, p.Hi = p.Lo+waited, p.Hi+waited
	p.Clamp()
	return p, clamped
}

// least returns a lower bound of the mean time, in ns, of the accesses that took the time onChip in
// sum. Each load is counted, also one that waits for a line which another has asked for.
func (b *bracket) least(v []int64, onChip int64) float64 {
	if b.loads < 0 || b.loadsDRAM < 0 || b.perNs == 0 || b.without&LeastLatency != 0 {
		return 0
	}
	n := v[b.loads] - v[b.loadsDRAM]
	if n <= 0 {
		return 0
	}
	return float64(onChip) / (float64(n) * b.perNs)
}
