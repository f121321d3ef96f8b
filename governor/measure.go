package governor

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Measured has a quantum's measurements: the sums of its epochs, and the memory controllers'
// counts.
type Measured struct {
	Start units.Instant
	Dur   time.Duration

	Epochs int           // epochs that ended in the quantum
	Rows   int           // epochs times their running threads
	Busy   time.Duration // time with at least one thread running; <= Dur
	// Waited is time in which none ran, but one could: others had the CPUs, or a quota withheld
	// them. It is not idle, and grows with the running time (package predictor/waiting).
	Waited       time.Duration
	ThreadRun    time.Duration // run time summed over threads; >= Busy
	Instructions uint64        // 0 when they are not counted
	// DRAMReads are the program's requests to memory, by the cores; 0 when they are not counted.
	DRAMReads uint64
	Lost      uint64 // records lost in the quantum
	Stale     bool   // decided more than a quantum too late
	Hole      bool   // epochs are incomplete, records are lost, or the quantum is stale

	// MemoryReads and MemoryWrites are the lines that the whole machine moved, by the memory
	// controllers, at the rate of their newest readings. Without MemoryCounted there were none, and
	// both are 0.
	MemoryReads, MemoryWrites uint64
	MemoryCounted             bool
}

// Lines returns the best known count of the lines read from memory and written to it. The cores see
// fewer than the controllers: no writes, and only those reads that instructions asked for.
func (m *Measured) Lines() (reads, writes uint64) {
	if m.MemoryCounted {
		return m.MemoryReads, m.MemoryWrites
	}
	return m.DRAMReads, 0
}

// measure completes the measurements of a quantum that was cut.
func (g *Governor) measure(t *tally) Measured {
	m := t.Measured
	// If no thread of the target ran at its end, a quantum may wait: its decision changes nothing
	// before a thread runs again.
	late := units.Instant(g.cfg.Quantum)
	if t.broken {
		late *= 2 // the quantum was cut a quantum before the one that ended the rest
	}
	m.Stale = !g.cfg.Patient && t.running > 0 && g.now-t.end > late
	m.Hole = m.Hole || m.Stale || m.Lost > 0
	m.Dur = time.Duration(t.end - m.Start)
	m.MemoryReads, m.MemoryWrites, m.MemoryCounted = g.traffic.during(t.end, m.Dur)
	return m
}
