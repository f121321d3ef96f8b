package symbols

import "github.com/ebb-energy/ebb/internal/stacks/unwind"

// moments divide a process's time. An address of code that a virtual machine made is given the
// number of its sample's moment, in bits that no such address uses. Other code can lie there at
// another time, and only the dump, read at the end, shows which.
type moments struct {
	list []moment
	size int64 // bytes of the dumps when the last moment began
}

type moment struct{ first, last uint64 } // times of its first and last sample, in ns

// Bounds of a moment, in ns. A moment of at least shortestMoment ends when it is as long as
// 1/finePart of all the time so far. While the dumps do not grow, and code is thus not likely to
// have changed, it ends at 1/coarsePart.
const (
	shortestMoment = 10_000_000
	// in this time all moments are fine, since a dump may be written late
	fineMoments = 10_000_000_000
	finePart    = 128
	coarsePart  = 16
)

// momentShift is the bit of an address from which on the number of a moment stands. maxMoments is
// the highest number. addressMask covers the bits below.
const (
	momentShift = 48
	maxMoments  = 1<<(62-momentShift) - 1
	addressMask = 1<<momentShift - 1
)

// at returns the number of the moment of a time, from 1 on. Times come nearly in order. It calls
// size only when a moment may end.
func (m *moments) at(time uint64, size func() int64) uint64 {
	n := len(m.list)
	if n == 0 {
		m.list, m.size = append(m.list, moment{time, time}), size()
		return 1
	}
	last := &m.list[n-1]
	if time < last.first {
		for n > 1 && time < m.list[n-1].first {
			n--
		}
		return uint64(n)
	}
	if long := time - last.first; long >= shortestMoment && n < maxMoments {
		all := time - m.list[0].first
		grown := size()
		fine := all < fineMoments || grown != m.size
		if long >= all/coarsePart || fine && long >= all/finePart {
			m.list, m.size = append(m.list, moment{time, time}), grown
			return uint64(n) + 1
		}
	}
	last.last = max(last.last, time)
	return uint64(n)
}

// date puts the moment of a sample into those of its addresses at which a virtual machine made
// code, and the number of the last change into those where a library was unloaded.
func (p *process) date(frames []uint64, time uint64) []uint64 {
	dated := len(p.dumps) > 0 && time != 0
	if !dated && p.changes == 0 {
		return frames
	}
	number := uint64(0)
	if dated {
		number = p.moments.at(time, p.dumped) << momentShift
	}
	for n, a := range frames {
		if a&unwind.Marked != 0 || a > addressMask {
			continue
		}
		if p.was(a) {
			frames[n] = a | changedBit | p.changes<<momentShift
		} else if m, ok := find(p.maps, a); !ok || m.file == nil && m.Path != "[vdso]" {
			frames[n] = a | number
		}
	}
	return frames
}

// dated is what date put into an address.
type dated struct {
	addr    uint64 // the address alone
	made    bool   // a virtual machine made the code, or had it
	time    uint64 // middle of the moment; 0: unknown, as when another resolver dated it
	changes uint64 // number of the last change before
}

// undated takes an address and its date apart.
func (p *process) undated(addr uint64) dated {
	n := addr >> momentShift
	if addr>>62 == 1 { // changedBit, and no address of the kernel's
		return dated{addr: addr & addressMask, changes: n &^ (changedBit >> momentShift)}
	}
	if len(p.dumps) == 0 || n == 0 {
		return dated{addr: addr}
	}
	d := dated{addr: addr & addressMask, made: true}
	if all := p.moments.list; n <= uint64(len(all)) {
		d.time = all[n-1].first + (all[n-1].last-all[n-1].first)/2
	}
	return d
}

// dumped returns the bytes that have been written to a process's dumps.
func (p *process) dumped() (sum int64) {
	for _, d := range p.dumps {
		sum += d.grown()
	}
	return sum
}
