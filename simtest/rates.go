package simtest

// rates are a core's progress and counts per ns between two events.
type rates struct {
	done         float64 // share of the whole segment
	instructions float64
	work         float64 // instructions that are work
	stalled      float64 // share of the time
	l3           float64 // accesses
	reads        float64 // lines from memory
	writes       float64
	count        quantityRates
}

// mispredicted is the share of a mix's core cycles during which a mispredicted branch leaves the
// reorder buffer empty.
const mispredicted = 0.06

// setRates computes a core's rates from its segment's cost and memory's wait.
func (m *Computer) setRates(c *core) {
	t := c.t
	s, f, x, r := &t.seg, &c.fixed, &t.stretch, &c.rate
	wait := m.memory.wait
	free, _ := f.free(wait)
	drain := f.drain(wait)
	takes := c.store.setFlow(free, drain, m.storeEntries(c), m.now)
	takes = max(takes, leastNs)
	inv := 1 / takes
	c.end = m.now + nsToPS(s.left*takes)

	latency := f.latency + wait
	exposedMemory := free - f.base
	stalls := exposedMemory + x.exposedHits + x.exposedTransfers + s.ns
	blocked := takes - free
	r.done = inv
	r.instructions = (s.n + s.cycles) * inv
	r.work = 0
	if s.kind == workSegment && (t.role == App || t.role == Collector) {
		r.work = s.n * inv
	}
	r.stalled = min((stalls+blocked+x.exposedFetch+s.drain)*inv, 1)
	r.l3 = (x.hits + x.memory + x.transfers + x.fetches + x.storeMisses) * inv
	r.reads = (x.memory + x.storeMisses) * inv
	r.writes = x.storeMisses * inv
	if m.options.Quiet {
		return
	}
	m.count(c, takes, free, latency)
}

// leastNs is the shortest time of a segment, in ns.
const leastNs = 0.001

// groupTimes are a segment's latencies in ns, added along the chain of each group of misses.
type groupTimes struct {
	beyond, beyondLook float64 // to the shared cache and other cores, with the lookups in it
	dram, dramLook     float64 // to memory, with the lookups in it
}

func (s *segment) groupTimes(f *fixedCost, x *stretch, latency float64) groupTimes {
	perGroup := f.depth / x.parallel
	onHit, onTransfer, onMemory := x.hits*perGroup, x.transfers*perGroup, x.memory*perGroup
	return groupTimes{
		beyond:     onHit*x.hitNs + onTransfer*x.transferNs + s.ns,
		beyondLook: (onHit + onTransfer) * x.look,
		dram:       onMemory * latency,
		dramLook:   onMemory * x.look,
	}
}

// count computes the counters' rates of c, whose segment takes takes ns, free ns of it with room in
// the store queue. latency is the time of a miss to memory.
func (m *Computer) count(c *core, takes, free, latency float64) {
	inv := 1 / takes
	n := &c.rate.count
	n[qCycles] = 1 / c.t.stretch.cycle
	n[qReference] = m.reference
	n[qInstructions] = c.rate.instructions
	c.countLoads(free, latency, inv)
	m.countStores(c, takes, free, latency)
	c.countRest(inv)
	n.inCycles()
}

// countLoads computes the rates of stalls, critical and leading loads, and occupancy.
func (c *core) countLoads(free, latency, inv float64) {
	s, f, x, n := &c.t.seg, &c.fixed, &c.t.stretch, &c.rate.count
	g := s.groupTimes(f, x, latency)
	exposedMemory := free - f.base
	n[qStallDRAM] = min(exposedMemory*inv, 1)
	n[qStallOff] = min((exposedMemory+x.exposedHits+x.exposedTransfers+s.ns)*inv, 1)
	n[qCritDRAM] = min(g.dram*inv, 1)
	n[qCritDRAMX] = min((g.dram-g.dramLook)*inv, 1)
	n[qCritOff] = min((g.beyond+g.dram)*inv, 1)
	n[qCritOffX] = min((g.beyond+g.dram-g.beyondLook-g.dramLook)*inv, 1)
	// Only the first miss of a chain leads.
	lead := 1 / f.depth
	n[qLeadDRAM] = min(g.dram*lead*inv, 1)
	n[qLeadDRAMX] = min((g.dram-g.dramLook)*lead*inv, 1)
	n[qLeadOff] = min(((g.beyond-s.ns+g.dram)*lead+s.ns)*inv, 1)
	n[qLeadOffX] = min(((g.beyond-s.ns+g.dram-g.beyondLook-g.dramLook)*lead+s.ns)*inv, 1)
	// The last miss of a group starts later than the first, by up to the time for which the core
	// goes on.
	spread := x.groupSpread / x.parallel
	occupied := g.dram - g.dramLook + x.memory*spread
	n[qOccupiedDRAM] = min(occupied*inv, 1)
	occupied += g.beyond - g.beyondLook + (x.hits+x.transfers)*spread
	n[qOccupiedOff] = min(occupied*inv, 1)
}

// countStores computes the rates of the store queue. It needs the occupancy of countLoads.
func (m *Computer) countStores(c *core, takes, free, latency float64) {
	f, x, n := &c.fixed, &c.t.stretch, &c.rate.count
	inv := 1 / takes
	outside := latency - x.look
	lines := x.storeMisses * outside // time if one line followed the other
	flight := 1.0
	if f.storePer > 0 {
		flight = m.profile.StoreParallel
		if !c.store.full {
			flight = 1 + (flight-1)*min((f.storeNs+f.storePer*latency)*inv, 1)
		}
	}
	own := min(lines/flight*inv, 1)
	n[qOwnDRAM] = own
	n[qOwnOff] = own
	n[qStoreFull], n[qStoreBlocked], n[qStoreOff], n[qStoreNoLoad] = 0, 0, 0, 0
	if c.store.full {
		n[qStoreFull] = 1
		n[qStoreBlocked] = (takes - free) * inv
		n[qStoreOff] = own
		n[qStoreNoLoad] = 1 - n[qOccupiedOff]
	}
}

// countRest computes the rates of drains, the empty reorder buffer, and accesses.
func (c *core) countRest(inv float64) {
	s, x, n := &c.t.seg, &c.t.stretch, &c.rate.count
	n[qDrain] = s.drain * inv
	n[qDrainOff] = n[qDrain]
	n[qEmpty] = min((x.exposedFetch+mispredicted*s.n*x.cpi*x.cycle)*inv, 1)
	n[qFetchOff] = min(x.fetches*(x.hitNs-x.look)*inv, 1)
	n[qLoadsDRAM] = x.memory * inv
	n[qLoadsOff] = (x.memory + x.hits + x.transfers) * inv
	n[qStoresDRAM] = x.storeMisses * inv
	n[qStoresOff] = n[qStoresDRAM]
	n[qReads] = c.rate.reads
	n[qWrites] = c.rate.writes
}

// quantityRates holds a rate per ns for each quantity.
type quantityRates [quantities]float64

// inCycles computes the quantities that processors count in cycles.
func (n *quantityRates) inCycles() {
	ghz := n[qCycles]
	n[qStallLoCycles] = n[qStallOff] * ghz
	n[qOccupiedHiCycles] = n[qOccupiedOff] * ghz
	n[qOccupiedDRAMCycles] = n[qOccupiedDRAM] * ghz
	n[qStoreFullCycles] = n[qStoreNoLoad] * ghz
	n[qStoreOwnCycles] = n[qOwnOff] * ghz
	n[qFetchCycles] = n[qFetchOff] * ghz
	n[qEmptyCycles] = n[qEmpty] * ghz
}
