package energy

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// Stretch is a time in which a thread ran and used energy.
type Stretch struct {
	From, To units.Instant
	Run      time.Duration
	Energy   units.Energy
	// Instructions is the number that the thread retired; 0 where nothing counts them.
	Instructions float64
	Clock        units.Frequency // mean clock; 0 where it is unknown
}

// Bounds of the stretches that are kept.
const (
	maxStretches = 1 << 18 // of all threads: some 15 MB
	maxOfThread  = 1 << 12 // of a thread: some 240 KiB, as a slice grows
	partOfAge    = 128     // of a thread with more, an old stretch lasts this part of its age
)

// ThreadLine keeps what each thread used in each window, in order of time. In a long run the older
// windows are joined, the more so the older they are: a call that began then has lasted since.
type ThreadLine struct {
	of    map[epochs.TID][]Stretch
	count int
	power slope
}

// NewThreadLine returns an empty line.
func NewThreadLine() *ThreadLine { return &ThreadLine{of: map[epochs.TID][]Stretch{}} }

// Book adds what a thread used in a window in which it ran.
func (l *ThreadLine) Book(t epochs.TID, s *Stretch) {
	l.power.learn(s)
	all := append(l.of[t], *s)
	if l.count++; len(all) > maxOfThread {
		l.count -= len(all)
		if all = aged(all); len(all) > maxOfThread/4*3 {
			all = thinned(all)
		}
		l.count += len(all)
	}
	if l.of[t] = all; l.count > maxStretches {
		l.thin()
	}
}

// join returns two stretches of a thread as one.
func (s *Stretch) join(next *Stretch) Stretch {
	return Stretch{From: s.From, To: next.To, Run: s.Run + next.Run,
		Energy: s.Energy + next.Energy, Instructions: s.Instructions + next.Instructions}
}

// aged joins neighbours among a thread's stretches that last a small part of their age together.
func aged(all []Stretch) []Stretch {
	kept, last := all[:0], all[len(all)-1].To
	for _, s := range all {
		n := len(kept) - 1
		if n >= 0 && s.To.Sub(kept[n].From) <= last.Sub(s.To)/partOfAge {
			kept[n] = kept[n].join(&s)
		} else {
			kept = append(kept, s)
		}
	}
	return kept
}

// thinned joins pairs in the older half of a thread's stretches.
func thinned(all []Stretch) []Stretch {
	half := len(all) / 2
	kept := all[:0]
	for i := 0; i < half; i += 2 {
		s := all[i]
		if i+1 < half {
			s = s.join(&all[i+1])
		}
		kept = append(kept, s)
	}
	return append(kept, all[half:]...)
}

// thin joins pairs in the older half of each thread's stretches, and drops the threads that ran
// longest ago if that is not enough.
func (l *ThreadLine) thin() {
	l.count = 0
	for t, all := range l.of {
		l.of[t] = slices.Clip(thinned(all))
		l.count += len(l.of[t])
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
		threads = append(threads, last{t, all[len(all)-1].To})
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

// InvocationPart is an invocation's part of its thread's energy.
type InvocationPart struct {
	whole  units.Energy // energy of the windows that lie wholly within it
	edges  float64      // its part, by CPU time, of the windows that are only partly its time, nJ
	most   float64      // all energy of these partial windows, nJ
	excess float64      // instructions in the partial windows beyond its part by CPU time
}

// At returns the energy if an instruction takes so many nJ more than the same time without one.
func (p *InvocationPart) At(instruction float64) units.Energy {
	return p.whole + units.Energy(min(max(p.edges+instruction*p.excess, 0), p.most))
}

// Find returns what a thread used between two times. In between it had cpu of CPU time, and retired
// instructions; negative where nobody counted. In a window that is only partly between the times,
// the thread used its energy evenly over its CPU time, corrected by its instructions. The result is
// unknown where the thread did not run in any of these windows.
func (l *ThreadLine) Find(
	t epochs.TID, begin, end units.Instant, cpu time.Duration, instructions float64,
) (p InvocationPart, ok bool) {
	all := l.of[t]
	i, _ := slices.BinarySearchFunc(all, begin, func(s Stretch, at units.Instant) int {
		return cmp.Compare(s.To, at+1)
	})
	type edge struct {
		s      *Stretch
		weight float64
	}
	var edges []edge
	left, weights, usual := cpu, 0.0, 0.0
	for ; i < len(all) && all[i].From < end; i++ {
		s := &all[i]
		ok = true
		if s.From >= begin && s.To <= end {
			p.whole += s.Energy
			left -= s.Run
			usual += s.Instructions
			continue
		}
		overlap := min(end, s.To).Sub(max(begin, s.From))
		if d := s.To.Sub(s.From); d > 0 && s.Run > 0 {
			w := float64(s.Run) * float64(overlap) / float64(d)
			edges = append(edges, edge{s, w})
			weights += w
		}
	}
	for _, x := range edges {
		if left <= 0 || weights <= 0 {
			break
		}
		part := min(float64(left)*x.weight/weights/float64(x.s.Run), 1)
		p.edges += part * float64(x.s.Energy)
		p.most += float64(x.s.Energy)
		usual += part * x.s.Instructions
	}
	if instructions >= 0 && usual > 0 {
		p.excess = instructions - usual
	}
	return p, ok
}
