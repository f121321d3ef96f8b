package simtest

// fixedCost is what a core's segment costs at the present frequency, but for memory's queue: all in
// ns for the whole segment.
type fixedCost struct {
	// core cycles, the overheads, and the stalls for all that does not go to memory
	base float64
	// ns that the core can go on for while a group of misses is outstanding, on average
	hidden   float64
	groups   float64 // of misses to memory
	depth    float64 // of a group: misses that wait for each other
	latency  float64 // of a miss to memory when idle, with the core's look-up
	storeNs  float64 // for the stores to drain: what does not depend on memory's queue,
	storePer float64 // and what goes with its latency
	loaded   float64 // lines moved for loads,
	stored   float64 // and for stores
}

// exposed is how long a core is stalled, on average, by a group of misses that takes ns, when the
// time for which it can go on is evenly distributed between 0 and twice hidden: E[max(0, ns - X)].
func exposed(ns, hidden float64) float64 {
	if ns >= 2*hidden {
		return ns - hidden
	}
	return ns * ns / (4 * hidden)
}

// free is how long the segment takes when the store queue never fills and memory's queue adds wait
// to each access, and by how much that grows with the wait.
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

// drain is how long the segment's stores take to leave the store queue.
func (f *fixedCost) drain(wait float64) float64 { return f.storeNs + f.storePer*(f.latency+wait) }

// moves says whether the segment needs memory.
func (f *fixedCost) moves() bool { return f.loaded > 0 || f.stored > 0 }

// stretch holds what the parts of a segment's mix are at the present frequency. It is kept apart
// from fixedCost as only the counters need it.
type stretch struct {
	cycle                            float64 // ns
	look                             float64 // ns
	parallel, groupSpread            float64
	hits, transfers, memory, fetches float64 // accesses in the segment
	hitNs, transferNs                float64 // latencies with look-up
	exposedHits, exposedTransfers    float64 // ns of the segment
	exposedFetch                     float64
	storeMisses                      float64
}

// fetchAhead is for how many instructions the core's front end has decoded ahead when a fetch
// misses.
const fetchAhead = 16

// prepare reckons a core's segment at the present frequency and number of active cores.
func (m *Computer) prepare(c *core) {
	p, s := &m.profile, &c.t.seg
	mix, f, x := s.mix, &c.fixed, &c.t.stretch
	cycle := m.cycle
	k := s.n * s.scale / 1000
	hits, memory, transfers, fetches := mix.L3*k, mix.Memory*k, mix.Transfers*k, mix.Fetch*k
	if mix.Pressure > 0 && m.active > 1 {
		moved := hits * mix.Pressure * float64(m.active-1) / float64(p.Cores-1)
		hits -= moved
		memory += moved
	}
	parallel := min(max(mix.Parallel, 1), p.MissParallel)
	f.depth = 1 + mix.Dependent*(parallel-1)
	groups := (hits + memory + transfers) / parallel
	ahead := p.ROB / 2
	if mix.Ahead > 0 && mix.Ahead < ahead {
		ahead = mix.Ahead
	}
	if ahead*groups > spacing*s.n {
		ahead = spacing * s.n / groups
	}
	f.hidden = ahead * mix.CPI * cycle

	look := p.LookupCycles * cycle
	x.cycle, x.look, x.parallel = cycle, look, parallel
	x.hits, x.transfers, x.memory, x.fetches = hits, transfers, memory, fetches
	x.hitNs, x.transferNs = look+p.L3Ns, look+p.TransferNs+p.TransferCycles*cycle
	x.groupSpread = (1 - 1/parallel) * f.hidden
	x.exposedHits = hits / parallel * exposed(f.depth*x.hitNs, f.hidden)
	x.exposedTransfers = transfers / parallel * exposed(f.depth*x.transferNs, f.hidden)
	decoded := float64(fetchAhead)
	if decoded*fetches > (1-spacing)*s.n {
		decoded = (1 - spacing) * s.n / fetches
	}
	x.exposedFetch = fetches * exposed(x.hitNs, decoded*mix.CPI*cycle)
	f.base = (s.n*mix.CPI+s.cycles)*cycle + s.ns + s.drain + x.exposedHits + x.exposedTransfers +
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

// spacing bounds how much of the work between two groups of misses can hide behind one: not all of
// it, as some needs the loads' results. It also keeps the time from rising with the frequency: what
// hides is never more than the work there is.
const spacing = 0.9
