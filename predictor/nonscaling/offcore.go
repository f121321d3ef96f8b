package nonscaling

import (
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// offcore is the estimator for the counters of a simulated core that say what its accesses wait for
// outside the core's clock domain. The package's documentation has its reasoning.
type offcore struct {
	critOff, critOffx, critDram, critDramx int
	robEmpty, sqRen, drainOff, insts       int
	sqOff, stOff                           int // columns; -1 without store bursts
	rfoOff, rfoDram, stDram                int // columns; -1 where they are missing

	latencies Latencies
	without   Rules
	perNs     float64

	// Of the base frequency:
	cycle    float64 // a cycle in time units
	shared   float64 // time of a shared-cache hit over the time of a lookup
	perMiss  float64 // core time per time that an access was faster than a shared-cache hit
	perLook  float64 // core time of a transfer over the time of a lookup
	ofWhole  float64 // core time of a transfer over its whole time
	known    bool    // transfers and hits differ enough to be distinguished
	lookPart float64 // share of a store's time that is the core's lookup
	store    float64 // a store's whole time in time units

	halfShare float64 // core time over all time, half of the accesses being transfers

	beside  besideLoads
	own     ownLimit
	second  second
	lines   lines
	sharing sharing
}

func newOffcore(c Columns, opt Options) Splitter {
	o := &offcore{
		critOff: c.Index(hpc.CritOff), critOffx: c.Index(hpc.CritOffX),
		critDram: c.Index(hpc.CritDRAM), critDramx: c.Index(hpc.CritDRAMX),
		robEmpty: c.Index(hpc.ROBEmpty), sqRen: c.Index(hpc.SQRen),
		drainOff: c.Index(hpc.DrainOff), insts: c.Index(hpc.Insts),
		sqOff: -1, stOff: -1, rfoOff: -1, rfoDram: -1, stDram: -1,
		latencies: opt.Latencies, without: opt.Without, perNs: opt.PerNs(),
		beside: newBesideLoads(c, hpc.SQFull, hpc.SQNoStall, opt.Without),
		own:    newOwnLimit(c, opt.Without),
		lines:  newLines(c, hpc.CritDRAMX, &opt), sharing: newSharing(opt.Without),
	}
	if opt.Burst {
		o.sqOff, o.stOff = c.Index(hpc.SQOff), c.Index(hpc.StoresOff)
		o.stDram = c.Index(hpc.StoresDRAM)
		if o.rfoOff, o.rfoDram = c.Index(hpc.RFOOff), c.Index(hpc.RFODRAM); o.rfoDram < 0 {
			o.rfoOff = -1
		}
	}
	return o
}

// Look implements Looker.
func (o *offcore) Look(e *epochs.Epoch) {
	o.lines.look(e)
	o.sharing.look(e)
}

func (o *offcore) Rebase(base float64) {
	m, ns := &o.latencies, 1e9/base // ns per cycle
	o.cycle = ns * o.perNs
	look, inCore := m.LookupCycles*ns, m.TransferCycles*ns
	transfer := m.TransferNs + inCore
	o.shared = m.SharedNs / look
	o.perLook = m.TransferCycles / m.LookupCycles
	o.ofWhole = inCore / transfer
	o.halfShare = inCore / (transfer + m.SharedNs)
	o.second = newSecond(m, ns, o.perNs, o.without)
	o.known = m.SharedNs-transfer > m.SharedNs/10
	o.perMiss = inCore / (m.SharedNs - transfer)
	o.lookPart = look / (m.StoreNs + look)
	o.store = (m.StoreNs + look) * o.perNs
}

func (o *offcore) Split(v []int64, dur int64) (p Parts, clamped bool) {
	inOthers, onChipStores := o.inOtherCores(v)
	load := v[o.critOffx] - int64(inOthers+0.5) + int64(float64(v[o.drainOff])*(1-onChipStores)+0.5)
	if starved := v[o.robEmpty] - v[o.sqRen] - int64(
		o.latencies.RefillCycles*float64(v[o.insts])*o.cycle,
	); starved > 0 {
		load += starved
	}
	p = Parts{Dur: dur, Lo: load, Hi: load}
	if o.sqOff >= 0 {
		fixed := 1.0
		if path := v[o.critOffx]; path > 0 {
			fixed = max(1-inOthers/float64(path), 0)
		}
		o.stores(&p, v, onChipStores, fixed)
	}
	// A value that is out of bounds by itself was measured wrongly. The sum of values that overlap
	// may well be out of bounds.
	clamped = v[o.critOffx] > dur || v[o.drainOff] > dur || o.sqOff >= 0 && v[o.sqOff] > dur
	p.Mem = v[o.critDramx] + p.Stall
	p.Clamp()
	return p, clamped
}

// inOtherCores returns the part of the load time that was spent in the clock of the core a line
// came from, and the share that such parts have in the time of stores.
//
// Accesses that did not go to memory are hits in the shared cache or transfers from another core.
// Each begins with one lookup of known length, so that the time of the lookups says how many
// there were, and the mean time of an access how many were of either kind. Stores are taken to be
// of the same mix as loads, and where there are no loads, half and half.
func (o *offcore) inOtherCores(v []int64) (loads, stores float64) {
	if o.sharing.alone() {
		return 0, 0
	}
	onChip := float64(max(v[o.critOffx]-v[o.critDramx], 0))
	looks := float64(max(v[o.critOff]-v[o.critOffx]-v[o.critDram]+v[o.critDramx], 0))
	most := min(looks*o.perLook, onChip*o.ofWhole)
	share := o.halfShare
	inCore, slow := o.second.share(onChip, looks)
	switch {
	case slow:
		loads = onChip * inCore
	case o.known:
		loads = min(max((looks*o.shared-onChip)*o.perMiss, 0), most)
	case o.second.line == 0:
		loads = most / 2
	}
	if (slow || o.known) && onChip > 0 {
		share = loads / onChip
	}
	if o.rfoDram >= 0 && v[o.rfoOff] > 0 {
		stores = share * max(1-float64(v[o.rfoDram])/float64(v[o.rfoOff]), 0)
	}
	return loads, stores
}

// stores fills in the store part; inOthers is the share of stores' time in other cores' clock.
func (o *offcore) stores(p *Parts, v []int64, inOthers, fixed float64) {
	full, ren, n := v[o.sqOff], v[o.sqRen], float64(v[o.stOff])
	held := min(full, ren)
	p.Stall = o.beside.of(held, v, fixed)
	own := o.own.share(v, p.Dur, full, held)
	if own > 0 && o.stDram >= 0 {
		lines := float64(v[o.stDram]) / o.lines.stores()
		p.Stall -= o.latencies.working(p.Stall, v[o.robEmpty], lines, o.lines.stores(), o.cycle,
			own)
	}
	p.Working = p.Stall - v[o.robEmpty]
	p.Out = full
	oneAtATime := false
	serial := n * o.store
	if o.rfoOff >= 0 {
		// only memory makes a burst: anything nearer keeps up with the core
		p.Out = max(v[o.rfoDram], full)
	} else if x := n * o.latencies.StoreNs * o.perNs; x < 2*float64(full) && x > float64(full) {
		// Stores that drain one at a time are outstanding for as long as all of them take.
		p.Out, oneAtATime = min(int64(x), p.Dur), true
	}
	p.Own = int64(float64(p.Out-p.Stall) * own)
	if p.OneByOne = p.Out; !oneAtATime {
		p.OneByOne = o.oneByOne(p.Out, v)
	}
	if p.Stall > 0 {
		// With k stores in flight the lookup of one hides behind the others, but for 1/k.
		inFlight := max(1, serial/float64(full))
		p.Look = int64(float64(p.Stall) * min(o.lookPart/inFlight+inOthers, 1))
	}
}

// oneByOne returns the least time in which the stores to memory drain.
func (o *offcore) oneByOne(out int64, v []int64) int64 {
	switch {
	case o.without&OverlappingStores != 0:
		return out
	case o.stDram < 0:
		return 0
	}
	return o.latencies.drain(v[o.stDram], v[o.insts], o.lines.stores(), o.perNs)
}

// drain returns the least time in which stores to memory drain, in a unit of which a ns has perNs.
// There are missed such stores, onLine of them on each line, among insts instructions. While a line
// is on its way the queue takes in as many stores as it holds, also of those that miss nothing. So
// there are as many waits for memory as the queue has to be filled, but no more than there are
// lines.
func (m *Latencies) drain(missed, insts int64, onLine, perNs float64) int64 {
	all := max(float64(missed), float64(insts)/m.InstsPerStore)
	return int64(min(float64(missed)/onLine, all/m.StoreQueue) * m.StoreNs * perNs)
}
