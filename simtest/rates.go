package simtest

// rates is what a core does per ns while nothing changes.
type rates struct {
	done         float64 // share of the segment
	instructions float64
	work         float64 // instructions that are work
	stalled      float64 // share of time
	l3           float64 // accesses
	reads        float64 // lines from memory
	writes       float64
	count        [quantities]float64
}

// mispredicted is the share of a mix's core cycles in which the reorder buffer is empty after a
// mispredicted branch.
const mispredicted = 0.06

// settle makes a core's rates of its segment's cost and memory's wait.
func (m *Computer) settle(c *core) {
	t := c.t
	s, f, x, r := &t.seg, &c.fixed, &t.stretch, &c.rate
	p := &m.profile
	wait := m.memory.wait
	free, _ := f.free(wait)
	drain := f.drain(wait)
	takes := c.store.settle(free, drain, p.StoreEntries, m.now)
	if takes < psFloor {
		takes = psFloor
	}
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

// psFloor is the least a segment takes, in ns.
const psFloor = 0.001

// count fills in the counters' rates.
func (m *Computer) count(c *core, takes, free, latency float64) {
	t := c.t
	s, f, x := &t.seg, &c.fixed, &t.stretch
	inv, ghz := 1/takes, 1/x.cycle
	n := &c.rate.count

	perGroup := f.depth / x.parallel
	// latencies in a row
	onHit, onTransfer, onMemory := x.hits*perGroup, x.transfers*perGroup, x.memory*perGroup
	full := onHit*x.hitNs + onTransfer*x.transferNs + s.ns
	look := (onHit + onTransfer) * x.look
	fullDRAM := onMemory * latency
	lookDRAM := onMemory * x.look

	n[qCycles] = ghz
	n[qReference] = m.reference
	n[qInstructions] = c.rate.instructions
	exposedMemory := free - f.base
	n[qStallDRAM] = min(exposedMemory*inv, 1)
	n[qStallOff] = min((exposedMemory+x.exposedHits+x.exposedTransfers+s.ns)*inv, 1)
	n[qCritDRAM] = min(fullDRAM*inv, 1)
	n[qCritDRAMX] = min((fullDRAM-lookDRAM)*inv, 1)
	n[qCritOff] = min((full+fullDRAM)*inv, 1)
	n[qCritOffX] = min((full+fullDRAM-look-lookDRAM)*inv, 1)
	// Of a chain, only its first miss leads.
	lead := 1 / f.depth
	n[qLeadDRAM] = min(fullDRAM*lead*inv, 1)
	n[qLeadDRAMX] = min((fullDRAM-lookDRAM)*lead*inv, 1)
	n[qLeadOff] = min(((full-s.ns+fullDRAM)*lead+s.ns)*inv, 1)
	n[qLeadOffX] = min(((full-s.ns+fullDRAM-look-lookDRAM)*lead+s.ns)*inv, 1)
	// The last miss of a group begins later than the first by up to the time that the core goes on
	// for.
	spread := x.groupSpread / x.parallel
	occupied := fullDRAM - lookDRAM + x.memory*spread
	n[qOccupiedDRAM] = min(occupied*inv, 1)
	occupied += full - look + (x.hits+x.transfers)*spread
	n[qOccupiedOff] = min(occupied*inv, 1)

	outside := latency - x.look
	lines := x.storeMisses * outside // one after the other
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
	n[qDrain] = s.drain * inv
	n[qDrainOff] = n[qDrain]
	n[qEmpty] = min((x.exposedFetch+mispredicted*s.n*s.mix.CPI*x.cycle)*inv, 1)
	n[qFetchOff] = min(x.fetches*(x.hitNs-x.look)*inv, 1)
	n[qLoadsDRAM] = x.memory * inv
	n[qLoadsOff] = (x.memory + x.hits + x.transfers) * inv
	n[qStoresDRAM] = x.storeMisses * inv
	n[qStoresOff] = n[qStoresDRAM]
	n[qReads] = c.rate.reads
	n[qWrites] = c.rate.writes

	n[qStallLoCycles] = n[qStallOff] * ghz
	n[qOccupiedHiCycles] = n[qOccupiedOff] * ghz
	n[qOccupiedDRAMCycles] = n[qOccupiedDRAM] * ghz
	n[qStoreFullCycles] = n[qStoreNoLoad] * ghz
	n[qStoreOwnCycles] = n[qOwnOff] * ghz
}
