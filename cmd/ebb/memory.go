package main

import (
	"slices"
	"time"

	"github.com/ebb-energy/ebb/hpc/uncore"
)

// memory is the memory controllers' counters over a run.
type memory struct {
	open  *uncore.Memory
	lost  int   // readings that failed
	first error // of them
}

// memoryPeriod is how long after a reading the next one comes at the earliest, for each controller:
// each interrupts a CPU for some microseconds.
const memoryPeriod = 2 * time.Millisecond

// openMemory opens the counters, and says in the report where memory's traffic is known from, or
// why not.
func (n *session) openMemory(counters []string) {
	open, err := uncore.Open(n.sysfs)
	if err == nil {
		n.memory = &memory{open: open}
		n.machine.Memory(memoryPeriod*time.Duration(open.Groups()), n.memory.read)
		n.report.MemorySource = open.String()
		return
	}
	n.report.MemoryNote = uncore.Why(err)
	if slices.Contains(counters, "dram_reads") || slices.Contains(counters, "dram_rd") {
		n.report.MemorySource = "cores"
	}
}

// read is how many lines the machine has read and written so far.
func (m *memory) read() (reads, writes uint64, ok bool) {
	l, err := m.open.Read()
	if err != nil {
		if m.lost++; m.first == nil {
			m.first = err
		}
		return 0, 0, false
	}
	return l.Read, l.Written, true
}

// checkMemory says at the end when the counters could not be read.
func (n *session) checkMemory() {
	if n.memory != nil && n.memory.first != nil {
		n.warn("memory's traffic is not known for a part of the run: " + n.memory.first.Error())
	}
}
