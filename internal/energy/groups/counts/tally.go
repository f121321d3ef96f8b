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
	At     units.Instant
	Groups []Group // the groups that ran
	Idle   []time.Duration
	Kernel []time.Duration // CPU time of kernel threads
	// Full is the time of cgroups for which the table had no entry, and of cgroups removed before
	// their entry was read.
	Full []time.Duration
	// Refused is the number of stretches that found no entry.
	Refused uint64
	// KernelWork and FullWork are the work in Kernel and Full; none where nothing counts it.
	KernelWork, FullWork []Work
}

// Group is the time of one cgroup, by CPU, and its work.
type Group struct {
	ID   uint64
	Time []time.Duration
	Work []Work // none where nothing counts it
}

// open1 is the bit of a sum of stamps that is set while a stretch is open.
const open1 = 1

// spent returns the time in a sum of stamps, in ns. An open stretch counts up to now.
func spent(sum uint64, now units.Instant) uint64 {
	if sum&open1 != 0 {
		sum += uint64(now)<<1 | 1
	}
	return sum >> 1
}

// counted holds what was handed out for a cgroup.
type counted struct {
	spent  []uint64 // ns, by CPU
	work   []Work
	window int // the last window in which it ran
	row    int // index in that window's Groups
}

// tally turns the program's sums into advances. It reads no clock and makes no call.
type tally struct {
	groups  map[uint64]*counted // by cgroup
	window  int
	idle    []uint64 // ns handed out, by CPU
	kernel  []uint64
	full    []uint64
	lost    []uint64
	counted bool // counters exist
	refused uint64
	late    []time.Duration // time of entries that were freed, by CPU
	// kernelWork and fullWork were handed out. lateWork comes with the next advance.
	kernelWork, fullWork, lateWork []Work
	out                            Reading
}

func newTally() tally { return tally{groups: map[uint64]*counted{}} }

// advance returns what was counted since the advance before. An entry without a cell is unchanged.
func (t *tally) advance(now units.Instant, cpus []cpuEntry, cells []cell) *Reading {
	n := len(cpus)
	r := &t.out
	*r = Reading{At: now, Groups: r.Groups[:0], KernelWork: r.KernelWork[:0],
		FullWork: r.FullWork[:0],
		Idle:     sized(r.Idle, n), Kernel: sized(r.Kernel, n), Full: sized(r.Full, n)}
	t.idle, t.kernel, t.full = grown(t.idle, n), grown(t.kernel, n), grown(t.full, n)
	t.lost, t.lateWork = grown(t.lost, n), grown(t.lateWork, n)
	refused := uint64(0)
	for i := range cpus {
		c := &cpus[i]
		r.Idle[i] = further(&t.idle[i], spent(c.Idle, now))
		r.Kernel[i] = further(&t.kernel[i], spent(c.Kernel, now))
		r.Full[i] = further(&t.full[i], spent(c.Full, now)) + further(&t.lost[i], c.Lost)
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
	t.window++
	for i := range cells {
		t.group(r, &cells[i], now, n)
	}
	return r
}

// group adds an entry's growth since it was last handed out to its cgroup.
func (t *tally) group(r *Reading, c *cell, now units.Instant, cpus int) {
	g := t.groups[c.id]
	if g == nil {
		g = &counted{spent: make([]uint64, cpus), work: make([]Work, cpus)}
		t.groups[c.id] = g
	}
	d := further(&g.spent[c.cpu], spent(c.sum, now))
	if d == 0 {
		return
	}
	if g.window != t.window {
		g.window, g.row = t.window, len(r.Groups)
		r.grow(c.id, cpus, t.counted)
	}
	row := &r.Groups[g.row]
	row.Time[c.cpu] += d
	if t.counted {
		row.Work[c.cpu] = c.further(&g.work[c.cpu])
	}
}

// grow adds the row of a cgroup, in the memory of an earlier row if there is some.
func (r *Reading) grow(id uint64, cpus int, counted bool) {
	at := len(r.Groups)
	if at < cap(r.Groups) {
		r.Groups = r.Groups[:at+1]
	} else {
		r.Groups = append(r.Groups, Group{})
	}
	g := &r.Groups[at]
	g.ID, g.Time = id, sized(g.Time, cpus)
	if counted {
		g.Work = sized(g.Work, cpus)
	}
}

// further returns the part of a time beyond what was handed out. A stretch that ended while the map
// was read may have counted some microseconds too many. The time then stays as it is until that is
// made up for.
func further(was *uint64, now uint64) time.Duration {
	d := int64(now - *was)
	if d <= 0 {
		return 0
	}
	*was = now
	return time.Duration(d)
}

// forget removes a cgroup. The counts of its entries since then come with the next advance.
func (t *tally) forget(id uint64, cells []cell) {
	g := t.groups[id]
	delete(t.groups, id)
	for i := range cells {
		c, from, work := &cells[i], uint64(0), Work{}
		if g != nil {
			from, work = g.spent[c.cpu], g.work[c.cpu]
		}
		for len(t.late) <= c.cpu {
			t.late = append(t.late, 0)
		}
		t.late[c.cpu] += further(&from, spent(c.sum, 0))
		t.lateWork = grown(t.lateWork, c.cpu+1)
		t.lateWork[c.cpu] = t.lateWork[c.cpu].plus(c.further(&work))
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
