package nonscaling

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// lines finds how many of the stores that miss belong to a line of memory: all that come while the
// line is on its way count as misses. A line has eight stores of a register's width, more of a
// narrower one, and fewer where they are scattered, or drain one at a time. The lines that the
// memory read, less those of loads, are the stores'. Loads have at least as many as the time for
// which memory kept the critical path waiting takes, one after the other. Where the memory's lines
// are not counted, each line is taken to have eight stores.
type lines struct {
	reads, loads, path, missed int     // columns; reads is -1 where one of them is missing
	memory                     float64 // time of a load's way to memory

	moved, merged float64 // recent lines of stores, and recent stores that missed
}

const (
	wideStores = 8  // stores of a register's width that fill a line
	mostStores = 64 // stores of a byte that fill a line
	// recentLines is the number of lines over which the past is averaged, so many that the work of
	// a moment does not decide.
	recentLines = 1000
	// leastLines is the number of lines that must have been seen before their stores are believed.
	leastLines = 50
)

// newLines finds the lines by the columns c. The column path has the time for which memory kept the
// critical path waiting, or that in which a load to memory was outstanding, which is as good a
// bound.
func newLines(c Columns, path string, opt *Options) lines {
	l := lines{reads: c.Index(hpc.DRAMReads), loads: c.Index(hpc.LoadsDRAM),
		path: c.Index(path), missed: c.Index(hpc.StoresDRAM),
		memory: opt.Latencies.MemoryNs * opt.PerNs()}
	if l.loads < 0 || l.missed < 0 || l.path < 0 {
		l.reads = -1
	}
	return l
}

// look takes an epoch in; the memory's lines stand in each of its rows.
func (l *lines) look(e *epochs.Epoch) {
	if l.reads < 0 || len(e.Rows) == 0 {
		return
	}
	moved, merged := float64(e.Rows[0].Values[l.reads]), 0.0
	for i := range e.Rows {
		if v := e.Rows[i].Values; e.Rows[i].Thread != epochs.NoThread {
			merged += float64(v[l.missed])
			moved -= min(float64(v[l.loads]), float64(v[l.path])/l.memory)
		}
	}
	moved = max(moved, 0)
	keep := math.Exp(-moved / recentLines)
	l.moved, l.merged = l.moved*keep+moved, l.merged*keep+merged
}

// stores returns the number of stores that missed for each line of recent ones. It is too low where
// loads overlapped, as some of their lines then count as the stores'.
func (l *lines) stores() float64 {
	if l.moved < leastLines {
		return wideStores
	}
	return min(max(l.merged/l.moved, 1), mostStores)
}
