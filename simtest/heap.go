package simtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// HeapConfig describes a managed heap with a stop-the-world, parallel, copying collector.
type HeapConfig struct {
	Nursery    int64   // bytes allocated between two collections
	Survival   float64 // mean share of the nursery that a collection copies
	Spread     float64 // relative standard deviation of Survival between collections, at most 1
	Collectors int     // threads that collect; 0 for 2
	// Trace and Copy are the collectors' work on survivors: Trace finds them, with dependent
	// misses, and Copy copies them, with bursts of stores. Nil means the defaults.
	Trace, Copy               *Mix
	TracePerByte, CopyPerByte float64 // instructions per surviving byte; 0 means the defaults
	RootInstructions          int64   // instructions of each collection, whatever survives
	// Zero is the zeroing at allocation. Nil means the default.
	Zero        *Mix
	ZeroPerLine float64 // instructions of Zero per line; 0 means the default
}

// Heap is memory that threads allocate and that is collected when the nursery is full.
//
// A collection stops the world: every application thread runs on to its next safepoint, at most
// safepointMax instructions on, and sleeps there; a thread that sleeps already counts as stopped.
// The collectors then share the survivors in pieces, and the last one to find none lets the world
// go on.
type Heap struct {
	config    HeapConfig
	m         *Computer
	rng       *rand.Rand // draws survivors, once per collection, whichever thread requests it
	allocated int64      // bytes allocated so far
	next      int64      // allocated bytes at which the next collection is due

	asked      ps         // time at which the latest collection was requested
	collecting bool       // the world has stopped and the collectors run
	stopped    []*Thread  // application threads that wait for the collection's end
	begin      *Semaphore // each collector takes one per collection
	done       *Barrier   // barrier of the collectors
	left       int64      // bytes of survivors that no collector has taken
}

// Defaults of a heap, for an object graph of small objects.
var (
	traceMix = Mix{Name: "trace", CPI: 0.6, L3: 6, Memory: 7,
		Parallel: 2, Dependent: 0.6, Ahead: 24}
	copyMix = Mix{Name: "copy", CPI: 0.5, L3: 2, Memory: 6,
		Stores: 250, StoreMisses: 31, Parallel: 4}
	zeroMix = Mix{Name: "zero", CPI: 0.4, Stores: 500, StoreMisses: 250}
)

const (
	tracePerByte = 0.8      // an object of 50 bytes in 40 instructions
	copyPerByte  = 0.5      // 16 bytes loaded and stored with 8 instructions
	zeroPerLine  = 4        // two stores of 32 bytes and a loop
	pieceBytes   = 32 << 10 // bytes of survivors that a collector takes at a time
	safepointMax = 4000     // instructions from one safepoint to the next
)

func newHeap(b *Builder, c HeapConfig) *Heap {
	if c.Collectors <= 0 {
		c.Collectors = 2
	}
	if c.Nursery <= 0 {
		panic("simtest: a heap without a nursery")
	}
	if c.Trace == nil {
		c.Trace = &traceMix
	}
	if c.Copy == nil {
		c.Copy = &copyMix
	}
	if c.Zero == nil {
		c.Zero = &zeroMix
	}
	if c.TracePerByte == 0 {
		c.TracePerByte = tracePerByte
	}
	if c.CopyPerByte == 0 {
		c.CopyPerByte = copyPerByte
	}
	if c.ZeroPerLine == 0 {
		c.ZeroPerLine = zeroPerLine
	}
	h := &Heap{config: c, m: b.m, next: c.Nursery, begin: b.Semaphore(0),
		done: b.Barrier(c.Collectors)}
	h.rng = rand.New(rand.NewPCG(b.rng.Uint64(), heapSeed))
	b.heaps = append(b.heaps, h)
	return h
}

// threads makes the collectors.
func (h *Heap) threads(b *Builder) {
	for i := range h.config.Collectors {
		b.Thread(fmt.Sprintf("collector-%d", i), Collector, h.collect)
	}
}

// Alloc takes bytes from h and writes zeros over them. Before that, the thread may stop for a
// collection or request one.
func (t *Thread) Alloc(h *Heap, bytes int64) {
	t.Safepoint(h)
	h.allocated += bytes
	t.truth.Allocated += bytes
	for h.allocated >= h.next {
		h.next += h.config.Nursery
		h.ask(t)
	}
	lines := float64(bytes) / hardware.LineBytes
	if n := int64(lines*h.config.ZeroPerLine + 0.5); n > 0 {
		t.Run(h.config.Zero, n)
	}
}

// collect is a collector thread's body.
func (h *Heap) collect(t *Thread) {
	c := &h.config
	for {
		t.Down(h.begin)
		t.Run(c.Trace, c.RootInstructions/int64(c.Collectors))
		for h.left > 0 {
			piece := min(h.left, pieceBytes)
			h.left -= piece
			t.Run(c.Trace, int64(float64(piece)*c.TracePerByte+0.5))
			t.Run(c.Copy, int64(float64(piece)*c.CopyPerByte+0.5))
		}
		if t.Arrive(h.done) {
			h.release(t)
		}
	}
}

// release lets the world go on.
func (h *Heap) release(t *Thread) {
	m := h.m
	m.recordPhase(t, epochs.CollectionEnds)
	m.stopping = nil
	m.tally.truth.Collections++
	m.tally.truth.GCTime += (m.now - h.asked).since()
	t.wakeAll(h.stopped)
	h.stopped = h.stopped[:0]
}
