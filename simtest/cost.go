package simtest

// fixedCost is the cost of a core's segment at the present frequency, without memory's queue. Times
// are in ns, for the whole segment if nothing else is said.
type fixedCost struct {
	base   float64 // core cycles, overheads, and the stalls that do not involve memory
	hidden float64 // mean time for which the core goes on while a group of misses is outstanding

	// Loads from memory.
	groups  float64 // number of groups of misses
	depth   float64 // misses of a group that wait for each other
	latency float64 // latency of one miss with the core's lookup, if memory is idle

	// The drain of the stores takes storeNs + storePer * (latency + wait).
	storeNs  float64
	storePer float64

	loaded float64 // lines moved for loads
	stored float64 // lines moved for stores
}

// exposed returns the mean stall of a core behind a group of misses that takes ns. The time for
// which the core goes on, X, is evenly distributed between 0 and twice hidden: E[max(0, ns - X)].
func exposed(ns, hidden float64) float64 {
	if ns >= 2*hidden {
		return ns - hidden
	}
	return ns * ns / (4 * hidden)
}

// free returns the time of the segment if the store queue never fills and memory's queue adds wait
// to each access, and the slope of this time over the wait.
func (f *fixedCost) free(wait float64) (ns, per float64) {
	if f.groups == 0 {
		return f.base, 0
	}
	l := f.depth * (f.latency + wait)
	per = f.groups * f.depth
	if l < 2*f.hidden {
		per *= l / (2 * f.hidden)
	}
	return f.base + f.groups*exposed(l, f.hidden), per
}

// drain returns the time in which the segment's stores leave the store queue.
func (f *fixedCost) drain(wait float64) float64 { return f.storeNs + f.storePer*(f.latency+wait) }

// moves reports whether the segment needs memory.
func (f *fixedCost) moves() bool { return f.loaded > 0 || f.stored > 0 }

// stretch is a segment at the present frequency in the parts that the counters count. It is
// separate from fixedCost, which is all that time depends on.
type stretch struct {
	cycle    float64 // ns of a core cycle
	cpi      float64 // cycles per instruction with all data in the core's own caches
	look     float64 // ns of the lookup in the core's caches
	parallel float64 // misses per group

	groupSpread float64 // ns by which a group's last miss starts after its first, on average

	hits, transfers, memory, fetches, storeMisses float64 // accesses of the segment

	hitNs, transferNs float64 // latencies with lookup

	exposedHits, exposedTransfers, exposedFetch float64 // stalls, ns of the segment
}

// fetchAhead is the number of decoded instructions that the core has left when a fetch misses.
const fetchAhead = 16

// prepare computes the cost of a core's segment at the present frequency and number of active
// cores.
func (m *Computer) prepare(c *core) {
	p, s := &m.profile, &c.t.seg
	mix, f, x := s.mix, &c.fixed, &c.t.stretch
	cycle := m.cycleNs
	k := s.n * s.scale / 1000
	cpi, slower, rob := mix.CPI, 1.0, p.ROB
	if m.beside(c) {
		slower = 1 / p.SMT.Compute
		cpi *= slower
		k /= p.SMT.Memory
		rob /= 2
	}
	hits, memory, transfers, fetches := mix.L3*k, mix.Memory*k, mix.Transfers*k, mix.Fetch*k
	if mix.Pressure > 0 && m.active > 1 {
		moved := hits * mix.Pressure * float64(m.active-1) / float64(p.Cores-1)
		hits -= moved
		memory += moved
	}
	parallel := min(max(mix.Parallel, 1), p.MissParallel)
	f.depth = 1 + mix.Dependent*(parallel-1)
	groups := (hits + memory + transfers) / parallel
	ahead := rob / 2
	if mix.Ahead > 0 && mix.Ahead < ahead {
		ahead = mix.Ahead
	}
	if ahead*groups > spacing*s.n {
		ahead = spacing * s.n / groups
	}
	f.hidden = ahead * cpi * cycle

	look := p.LookupCycles * cycle
	x.cycle, x.cpi, x.look, x.parallel = cycle, cpi, look, parallel
	x.hits, x.transfers, x.memory, x.fetches = hits, transfers, memory, fetches
	x.hitNs, x.transferNs = look+p.L3Ns, look+p.TransferNs+p.TransferCycles*cycle
	x.groupSpread = (1 - 1/parallel) * f.hidden
	x.exposedHits = hits / parallel * exposed(f.depth*x.hitNs, f.hidden)
	x.exposedTransfers = transfers / parallel * exposed(f.depth*x.transferNs, f.hidden)
	decoded := float64(fetchAhead)
	if decoded*fetches > (1-spacing)*s.n {
		decoded = (1 - spacing) * s.n / fetches
	}
	x.exposedFetch = fetches * exposed(x.hitNs, decoded*cpi*cycle)
	f.base = (s.n*cpi+s.cycles*slower)*cycle + s.ns + s.drain + x.exposedHits + x.exposedTransfers +
		x.exposedFetch
	f.groups = memory / parallel
	f.latency = x.hitNs + p.DRAMNs

	n := s.n / 1000
	x.storeMisses = mix.StoreMisses * n
	f.storePer = x.storeMisses / p.StoreParallel
	f.storeNs = max(mix.Stores*n-x.storeMisses, 0) * cycle
	f.loaded, f.stored = memory, 2*x.storeMisses
	c.store.entries(max(mix.Stores, mix.StoreMisses) * n)
}

// spacing is the largest share of the work between two groups of misses that can hide behind a
// group. The rest needs the loads' results. The bound also keeps the time from rising with the
// frequency: no more work hides than there is.
const spacing = 0.9
