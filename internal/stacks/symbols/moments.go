package symbols

import "github.com/ebb-energy/ebb/internal/stacks/unwind"

// moments are stretches of a process's time. An address of code that a virtual machine made is
// given the number of its sample's moment, in bits that no such address has: at another time,
// other code can lie there, and which is known when the process has written its dump.
type moments struct {
	list []moment
	size int64 // of the dumps when the last began
}

type moment struct{ first, last uint64 } // samples in it

// Bounds of a moment, in ns. A moment is an end to those before it that are as short as this part
// of all the time so far; where the dump does not grow, and so no code is likely to have changed,
// a longer part.
const (
	shortestMoment = 10_000_000
	fineMoments    = 10_000_000_000 // the time in which all are fine: what is written may come late
	finePart       = 128
	coarsePart     = 16
)

// momentShift and maxMoments are where the number of a moment stands in an address.
const (
	momentShift = 48
	maxMoments  = 1<<(63-momentShift) - 1
	addressMask = 1<<momentShift - 1
)

// at is the number of the moment of a time, from 1 on. Times come nearly in order. Size is asked
// when a moment may end.
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

// date gives the addresses of code that a process's virtual machine made the moment of a sample.
func (p *process) date(frames []uint64, time uint64) []uint64 {
	if len(p.dumps) == 0 || time == 0 {
		return frames
	}
	number := p.moments.at(time, p.dumped) << momentShift
	for n, a := range frames {
		if a&unwind.Marked != 0 || a > addressMask {
			continue
		}
		if m, ok := find(p.maps, a); !ok || m.file == nil && m.Path != "[vdso]" {
			frames[n] = a | number
		}
	}
	return frames
}

// undated takes the moment off an address, and returns its middle; 0 where that is not known, as
// when another resolver gave it.
func (p *process) undated(addr uint64) (plain, time uint64) {
	n := addr >> momentShift
	if len(p.dumps) == 0 || n == 0 {
		return addr, 0
	}
	if all := p.moments.list; n <= uint64(len(all)) {
		time = all[n-1].first + (all[n-1].last-all[n-1].first)/2
	}
	return addr & addressMask, time
}

// dumped returns the bytes that have been written to a process's dumps.
func (p *process) dumped() (sum int64) {
	for _, d := range p.dumps {
		if info, err := d.file.Stat(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}
