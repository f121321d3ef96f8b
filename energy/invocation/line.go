package invocation

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// stretch is a time in which a thread ran and used energy.
type stretch struct {
	from, to units.Instant
	run      time.Duration
	energy   units.Energy
}

// maxStretches bounds the stretches that are kept of all threads: 8 MB.
const maxStretches = 1 << 18

// Line is what each thread used in each window, in order of time. In a long run the older windows
// are put together in pairs, again and again.
type Line struct {
	of    map[epochs.TID][]stretch
	count int
	to    units.Instant
}

// NewLine has no window.
func NewLine() *Line { return &Line{of: map[epochs.TID][]stretch{}} }

// Book adds what a thread used in a window in which it ran.
func (l *Line) Book(t epochs.TID, from, to units.Instant, run time.Duration, e units.Energy) {
	l.of[t] = append(l.of[t], stretch{from, to, run, e})
	if l.count++; l.count > maxStretches {
		l.thin()
	}
}

// Booked says that all windows up to a time are there.
func (l *Line) Booked(to units.Instant) { l.to = max(l.to, to) }

// To is the time up to which all windows are there.
func (l *Line) To() units.Instant { return l.to }

// thin joins pairs in the older half of each thread's stretches, and drops the threads that ran
// longest ago if that is not enough.
func (l *Line) thin() {
	l.count = 0
	for t, all := range l.of {
		half := len(all) / 2
		kept := all[:0]
		for i := 0; i < half; i += 2 {
			s := all[i]
			if i+1 < half {
				n := all[i+1]
				s = stretch{s.from, n.to, s.run + n.run, s.energy + n.energy}
			}
			kept = append(kept, s)
		}
		kept = append(kept, all[half:]...)
		l.of[t] = slices.Clip(kept)
		l.count += len(kept)
	}
	if l.count <= maxStretches/8*7 {
		return
	}
	type last struct {
		t  epochs.TID
		at units.Instant
	}
	var threads []last
	for t, all := range l.of {
		threads = append(threads, last{t, all[len(all)-1].to})
	}
	slices.SortFunc(threads, func(a, b last) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.t, b.t))
	})
	for _, x := range threads {
		if l.count <= maxStretches/4*3 {
			break
		}
		l.count -= len(l.of[x.t])
		delete(l.of, x.t)
	}
}

// Energy is what a thread used between two times in which it had cpu of CPU time. In a window that
// is only partly between them, the thread used its energy evenly over its CPU time. It is unknown
// where the thread did not run in any of these windows.
func (l *Line) Energy(
	t epochs.TID, begin, end units.Instant, cpu time.Duration,
) (sum units.Energy, ok bool) {
	all := l.of[t]
	i, _ := slices.BinarySearchFunc(all, begin, func(s stretch, at units.Instant) int {
		return cmp.Compare(s.to, at+1)
	})
	type edge struct {
		s      *stretch
		weight float64
	}
	var edges []edge
	left, weights := cpu, 0.0
	for ; i < len(all) && all[i].from < end; i++ {
		s := &all[i]
		ok = true
		if s.from >= begin && s.to <= end {
			sum += s.energy
			left -= s.run
			continue
		}
		overlap := min(end, s.to).Sub(max(begin, s.from))
		if d := s.to.Sub(s.from); d > 0 && s.run > 0 {
			w := float64(s.run) * float64(overlap) / float64(d)
			edges = append(edges, edge{s, w})
			weights += w
		}
	}
	for _, x := range edges {
		if left <= 0 || weights <= 0 {
			break
		}
		part := min(float64(left)*x.weight/weights/float64(x.s.run), 1)
		sum += units.Energy(part * float64(x.s.energy))
	}
	return sum, ok
}
