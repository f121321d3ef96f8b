package run

import (
	"context"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
)

// memory reads the memory controllers' counters over a run.
type memory struct {
	part.Passive
	open  *perfevent.Memory
	first error // error of the first reading that failed
}

// memoryPeriod is the least time between two readings, for each controller. Each reading interrupts
// a CPU for some microseconds.
const memoryPeriod = 2 * time.Millisecond

// openMemory opens the counters and puts their source into the report, or the reason why memory's
// traffic is unknown.
func (r *run) openMemory(counters []string) {
	open, err := perfevent.OpenMemory(r.Sysfs)
	if err == nil {
		m := &memory{open: open}
		r.Use(part.Totals, m)
		r.Host.Memory(memoryPeriod*time.Duration(open.Groups()), m.read)
		r.Report.MemorySource = open.String()
		return
	}
	r.Report.MemoryNote = perfevent.WhyNoMemory(err)
	if slices.Contains(counters, hpc.DRAMReads) {
		r.Report.MemorySource = "cores"
	}
}

// read returns the numbers of lines that the machine has read and written so far.
func (m *memory) read() (reads, writes uint64, ok bool) {
	l, err := m.open.Read()
	if err != nil {
		if m.first == nil {
			m.first = err
		}
		return 0, 0, false
	}
	return l.Read, l.Written, true
}

// finish warns if the counters could not be read.
func (m *memory) Finish(_ context.Context, r *report.Report) error {
	if m.first != nil {
		part.Warn(r, "memory's traffic is unknown for a part of the run: "+m.first.Error())
	}
	return nil
}

func (m *memory) Close() error { return m.open.Close() }
