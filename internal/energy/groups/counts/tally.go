package counts

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

// cpuEntry is the program's entry for one CPU; its layout is struct cpu in counts.bpf.c.
type cpuEntry struct {
	ID, Since, State   uint64
	Idle, Kernel, Full uint64 // sums of stamps
	Lost               uint64 // ns
	Refused            uint64
	_                  [3]uint64 // the counting entry, and the counters when it began to count
	KernelWork         Work
	FullWork           Work
	_                  uint64 // the running task
	// Untraced is the number of times that the idle task was found with no switch to it traced.
	Untraced uint64
	_        [3]uint64 // the cgroup whose entry counts, and what its program keeps of clocks
}

// Work is the counters' values for some CPU time; 0 where nothing counts.
type Work struct{ Cycles, Instructions uint64 }

// further returns the part beyond what was handed out. A value below that is a new count.
func (w Work) further(was *Work) Work {
	d := Work{w.Cycles - was.Cycles, w.Instructions - was.Instructions}
	if w.Cycles < was.Cycles || w.Instructions < was.Instructions {
		d = Work{}
	}
	*was = w
	return d
}

func (w Work) plus(o Work) Work {
	return Work{w.Cycles + o.Cycles, w.Instructions + o.Instructions}
}

// cell is an entry of the table as it was read.
type cell struct {
	cpu int
	at  int // place in the table
	id  uint64
	sum uint64 // sum of stamps
	Work
}

// Reading holds what the CPUs did between two readings, by CPU.
type Reading struct {
	// At is the end of the window, and Until the time at which all was read.
	At, Until units.Instant
	Parts     []Part // what ran, in no order; a CPU and a cgroup may have several
	Idle      []time.Duration
	Kernel    []time.Duration // CPU time of kernel threads
	// Full is the time of cgroups for which the table had no entry, and of cgroups removed before
	// their entry was read.
	Full []time.Duration
	// Refused is the number of stretches that found no entry.
	Refused uint64
	// KernelWork and FullWork are the work in Kernel and Full; none where nothing counts it.
	KernelWork, FullWork []Work
}

// Part is the time that a cgroup had a CPU, and its work.
type Part struct {
	ID   uint64
	CPU  int
	Time time.Duration
	Work Work
}

// open1 is the bit of a sum of stamps that is set while a stretch is open.
const open1 = 1

// spent returns the time in a sum of stamps, in ns. An open stretch counts up to now; it may have
// begun later.
func spent(sum uint64, now units.Instant) int64 {
	if sum&open1 != 0 {
		sum += uint64(now)<<1 | 1
	}
	return int64(sum) >> 1
}

// tally turns the program's sums into advances. It reads no clock and makes no call.
type tally struct {
	spent   []int64 // ns handed out, by place in the table
	work    []Work  // work handed out, the same
	idle    []int64 // ns handed out, by CPU
	kernel  []int64
	full    []int64
	lost    []int64
	counted bool // counters exist
	refused uint64
	late    []time.Duration // time of entries that were freed, by CPU
	// kernelWork and fullWork were handed out. lateWork comes with the next advance.
	kernelWork, fullWork, lateWork []Work
	out                            Reading
}

// newTally makes a tally of a table with so many entries.
func newTally(entries int, counted bool) tally {
	t := tally{spent: make([]int64, entries), counted: counted}
	if counted {
		t.work = make([]Work, entries)
	}
	return t
}

// advance returns what was counted since the advance before. An entry without a cell is unchanged.
// Now is a time before the cells were read, so that no stretch counts longer than it lasts.
func (t *tally) advance(now units.Instant, cpus []cpuEntry, cells []cell) *Reading {
	n := len(cpus)
	r := &t.out
	*r = Reading{At: now, Parts: r.Parts[:0], KernelWork: r.KernelWork[:0],
		FullWork: r.FullWork[:0],
		Idle:     sized(r.Idle, n), Kernel: sized(r.Kernel, n), Full: sized(r.Full, n)}
	t.idle, t.kernel, t.full = grown(t.idle, n), grown(t.kernel, n), grown(t.full, n)
	t.lost, t.lateWork = grown(t.lost, n), grown(t.lateWork, n)
	refused := uint64(0)
	for i := range cpus {
		c := &cpus[i]
		r.Idle[i] = further(&t.idle[i], spent(c.Idle, now))
		r.Kernel[i] = further(&t.kernel[i], spent(c.Kernel, now))
		r.Full[i] = further(&t.full[i], spent(c.Full, now)) + further(&t.lost[i], int64(c.Lost))
		if i < len(t.late) {
			r.Full[i] += t.late[i]
			t.late[i] = 0
		}
		refused += c.Refused
		if t.counted {
			if len(t.kernelWork) <= i {
				t.kernelWork = append(t.kernelWork, c.KernelWork)
				t.fullWork = append(t.fullWork, c.FullWork)
			}
			r.KernelWork = append(r.KernelWork, c.KernelWork.further(&t.kernelWork[i]))
			r.FullWork = append(r.FullWork, c.FullWork.further(&t.fullWork[i]).plus(t.lateWork[i]))
			t.lateWork[i] = Work{}
		}
	}
	r.Refused, t.refused = refused-min(t.refused, refused), max(t.refused, refused)
	for i := range cells {
		c := &cells[i]
		if d := further(&t.spent[c.at], spent(c.sum, now)); d > 0 {
			r.Parts = append(r.Parts, Part{c.id, c.cpu, d, t.further(c)})
		}
	}
	return r
}

// further returns an entry's work beyond what was handed out.
func (t *tally) further(c *cell) Work {
	if !t.counted {
		return Work{}
	}
	return c.Work.further(&t.work[c.at])
}

// further returns the part of a time beyond what was handed out. A stretch that began while the
// table was read is of the next window: the time then stays as it is.
func further(was *int64, now int64) time.Duration {
	d := now - *was
	if d <= 0 {
		return 0
	}
	*was = now
	return time.Duration(d)
}

// forget takes the entries of a cgroup, which are free now. The time since the last advance
// comes with the next one.
func (t *tally) forget(cells []cell) {
	for i := range cells {
		c := &cells[i]
		t.late = grown(t.late, c.cpu+1)
		t.late[c.cpu] += further(&t.spent[c.at], spent(c.sum, 0))
		t.lateWork = grown(t.lateWork, c.cpu+1)
		t.lateWork[c.cpu] = t.lateWork[c.cpu].plus(t.further(c))
		t.spent[c.at] = 0
		if t.counted {
			t.work[c.at] = Work{}
		}
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func grown[T any](s []T, n int) []T {
	for len(s) < n {
		s = append(s, *new(T))
	}
	return s
}
