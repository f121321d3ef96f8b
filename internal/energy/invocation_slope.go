package energy

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// slope learns from a run's own windows how much energy an instruction takes beyond what the same
// time takes without one. It compares windows at one clock in which threads ran for about as long a
// part. A thread that runs for less gets more of what the machine takes by itself.
type slope struct{ alike map[slopeKind]*moments }

// slopeKind groups the windows that are compared: by the clock, in steps of a hundredth, and by the
// part of the time for which the thread ran, in tenths.
type slopeKind struct{ clock, part int }

// moments are sums over windows of the differences from their means. x is instructions in a ns of
// CPU time, y the nJ in it.
type moments struct{ n, x, y, xx, xy, yy float64 }

const (
	maxKinds = 1 << 10
	// leastPart is the least part of a window that the thread must have run, in tenths.
	leastPart = 5
	// leastWindows is the number of windows that must have been compared. certain is the number of
	// standard deviations by which the slope must differ from 0.
	leastWindows, certain = 3, 3
)

// learn takes a window of a thread.
func (s *slope) learn(w *Stretch) {
	if w.Instructions <= 0 || w.Clock <= 0 || w.Run <= 0 || w.To <= w.From {
		return
	}
	k := kindOf(w)
	m := s.alike[k]
	if k.part < leastPart || m == nil && len(s.alike) >= maxKinds {
		return
	}
	if m == nil {
		m = &moments{}
		if s.alike == nil {
			s.alike = map[slopeKind]*moments{}
		}
		s.alike[k] = m
	}
	m.add(w.Instructions/float64(w.Run), float64(w.Energy)/float64(w.Run))
}

func kindOf(w *Stretch) slopeKind {
	const steps = 100 // number of steps in a unit of the logarithm
	return slopeKind{int(math.Round(steps * math.Log(float64(w.Clock)/1e9))),
		int(math.Round(10 * float64(w.Run) / float64(w.To.Sub(w.From))))}
}

// add adds by Welford's method, which is exact where all values are the same.
func (m *moments) add(x, y float64) {
	m.n++
	dx, dy := x-m.x, y-m.y
	m.x += dx / m.n
	m.y += dy / m.n
	rest := (m.n - 1) / m.n
	m.xx += float64(dx * dx * rest)
	m.xy += float64(dx * dy * rest)
	m.yy += float64(dy * dy * rest)
}

// PerInstruction returns the energy in nJ that an instruction has taken in this run beyond that of
// its time. It is 0 where power did not surely follow the instructions.
func (l *ThreadLine) PerInstruction() float64 {
	var all moments
	kinds := slices.SortedFunc(maps.Keys(l.power.alike), func(a, b slopeKind) int {
		return cmp.Or(cmp.Compare(a.clock, b.clock), cmp.Compare(a.part, b.part))
	})
	for _, k := range kinds { // in order, so that sums are the same each time
		m := l.power.alike[k]
		all.n += m.n - 1
		all.xx += m.xx
		all.xy += m.xy
		all.yy += m.yy
	}
	explained := float64(all.xy * all.xy)
	rest := max(float64(all.xx*all.yy)-explained, 0)
	if all.n < leastWindows || all.xx == 0 ||
		float64((all.n-1)*explained) < certain*certain*rest {
		return 0
	}
	return all.xy / all.xx
}
