package nonscaling

import (
	"math"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/hpc"
)

// Bus computes the time for which the memory was busy in an epoch, from counts of the lines it
// moved. The counts are the whole machine's and stand in each row of the epoch, as in an epoch
// table.
type Bus struct {
	reads, writes int     // columns; -1 where they are not there
	line          float64 // time units in which the memory moves a line at its peak
}

// NewBus makes a Bus over columns. It needs the unit of the epochs' times; without it, the memory
// is taken to be idle.
func NewBus(m *Latencies, unit epochs.TimeUnit, columns Columns) Bus {
	b := Bus{reads: columns.Index(hpc.DRAMReads), writes: columns.Index(hpc.DRAMWrites)}
	if unit == "" {
		b.reads = -1
	} else {
		b.line = m.LineNs * float64(unit.PerNs())
	}
	return b
}

// Busy returns the time for which the memory moved lines.
func (b *Bus) Busy(e *epochs.Epoch) float64 {
	if b.reads < 0 || len(e.Rows) == 0 {
		return 0
	}
	v := e.Rows[0].Values
	lines := v[b.reads]
	if b.writes >= 0 {
		lines += v[b.writes]
	}
	return min(float64(lines)*b.line, float64(e.Dur))
}

// Divide gives the rows of an epoch their part of the time that the memory was busy. A thread whose
// share of the waiting for memory is the mean share, or more, gets the whole time: it cannot get
// ahead of the lines that all threads need. A thread that waits less gets proportionally less.
func Divide(rows []Parts, busy float64) {
	if busy <= 0 {
		return
	}
	var mem int64
	for i := range rows {
		mem += rows[i].Mem
	}
	if mem == 0 {
		return
	}
	for i := range rows {
		share := float64(rows[i].Mem) * float64(len(rows)) / float64(mem)
		rows[i].Busy = int64(busy * min(share, 1))
	}
}

// Queue is the effect of contention at the memory on a stretch's time: see "Others at the memory"
// in the package's documentation. The zero value is an idle memory.
type Queue struct {
	busy float64 // time in which the memory moves the lines, B
	wait float64 // growth of the stretch with U/(1-U), c
	idle float64 // time that the stretch would have been shorter with an idle memory
	less float64 // rounding error at the base
}

// maxUse is the highest use of the memory that is believed.
const maxUse = 0.99

// Queue returns the queue at the memory that the stretch p met at the base frequency.
func (p *Parts) Queue(m *Latencies) (q Queue) {
	dur := float64(p.Dur)
	q.busy = min(float64(p.Busy), maxUse*dur)
	waiting := q.busy / (dur - q.busy)
	q.wait = float64(p.Mem) * m.LineNs / (m.MemoryNs + m.LineNs*waiting)
	// Rounded, as with's result: arm64 would multiply and subtract in one step here, and not there.
	q.idle = float64(q.wait * waiting)
	q.less = q.with(dur) - dur
	return q
}

// Empty reports whether the stretch takes the same time whatever others ask of the memory.
func (q *Queue) Empty() bool { return q.wait == 0 }

// with returns the time of the stretch that would take b if memory answered as fast as at the base.
// It rises with b, and is convex.
func (q *Queue) with(b float64) float64 {
	b -= q.idle
	d := b - q.busy
	return float64((b + q.busy + math.Sqrt(float64(d*d)+4*q.wait*q.busy)) / 2)
}

// Among returns the time of the stretch that would take b if memory answered as fast as at the
// base. At the base that is b.
func (q *Queue) Among(b float64) float64 { return b + (q.with(b) - b - q.less) }
