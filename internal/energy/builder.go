package energy

import (
	"cmp"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// Builder makes windows of slices, samples and readings, which come in any order up to a promise
// (Delivered) that all up to a time are there. It is for one goroutine.
type Builder struct {
	core    map[CPU]Core // the CPUs that share a core with others
	book    func(*Window)
	slices  []Slice
	samples []Sample
	cuts    []cut
	begin   units.Instant // begin of the window that is being filled
	started bool
	w       Window
	windows uint64         // number of windows handed over
	section Section        // section at the begin of the window that is being filled
	turns   []turn         // changes of the section, in order of time
	marks   []turn         // scratch: changes within the window that is being closed
	perCPU  map[CPU][]span // scratch
}

// cut is a reading of the meters: the end of a window.
type cut struct {
	at     units.Instant
	used   []units.Energy
	others []Other
}

// NewBuilder hands whole windows to book, in order; a window is valid until book returns. cores
// says which CPUs belong to one core; those alone on theirs may be missing.
func NewBuilder(cores map[CPU]Core, book func(*Window)) *Builder {
	return &Builder{core: cores, book: book, perCPU: map[CPU][]span{}}
}

// Begin notes the first reading of the meters.
func (b *Builder) Begin(at units.Instant) { b.begin, b.started = at, true }

// Slice adds a stretch of a thread. A part before the window that is being filled came late, and is
// dropped.
func (b *Builder) Slice(s Slice) {
	s.From = max(s.From, b.begin)
	if s.To > s.From {
		b.slices = append(b.slices, s)
	}
}

// Sample adds a sample of a stack. One that comes too late belongs to the window that is being
// filled.
func (b *Builder) Sample(s Sample) { b.samples = append(b.samples, s) }

// Reading ends a window. used is the energy of each zone since the reading before, others is the
// time of other programs.
func (b *Builder) Reading(at units.Instant, used []units.Energy, others []Other) {
	if !b.started {
		b.Begin(at)
		return
	}
	b.cuts = append(b.cuts, cut{at, slices.Clone(used), slices.Clone(others)})
}

// Delivered promises that all slices and samples up to at have been added.
func (b *Builder) Delivered(at units.Instant) {
	for len(b.cuts) > 0 && b.cuts[0].at <= at {
		b.close(&b.cuts[0])
		b.cuts = slices.Delete(b.cuts, 0, 1)
	}
}

func (b *Builder) close(c *cut) {
	w := &b.w
	*w = Window{From: b.begin, To: max(c.at, b.begin), Used: c.used, Others: c.others,
		Runs: w.Runs[:0], Samples: w.Samples[:0], Sections: w.Sections}
	b.sections(w)
	b.runs(w)
	kept := b.samples[:0]
	for _, s := range b.samples {
		if s.At < w.To || w.To == b.begin && s.At <= w.To {
			s.Section = b.sectionAt(s.At)
			w.Samples = append(w.Samples, s)
		} else {
			kept = append(kept, s)
		}
	}
	b.samples = kept
	b.begin = w.To
	b.windows++
	b.book(w)
}

// span is a stretch of a thread within the window.
type span struct {
	Slice
	shared  time.Duration
	section Section
}

// runs moves the parts of slices that lie in the window into it, and leaves the rest.
func (b *Builder) runs(w *Window) {
	clear(b.perCPU)
	kept := b.slices[:0]
	for _, s := range b.slices {
		if s.From < w.To {
			in := s
			in.To = min(s.To, w.To)
			b.pieces(in, func(part Slice, of Section) {
				b.perCPU[s.CPU] = append(b.perCPU[s.CPU], span{Slice: part, section: of})
			})
		}
		if s.To > w.To {
			s.From = max(s.From, w.To)
			kept = append(kept, s)
		}
	}
	b.slices = kept
	for c, own := range b.perCPU {
		slices.SortFunc(own, func(x, y span) int {
			return cmp.Or(cmp.Compare(x.From, y.From), cmp.Compare(x.Thread, y.Thread))
		})
		b.perCPU[c] = own
	}
	b.share()
	probe := b.probe(w)
	for _, own := range b.perCPU {
		for i := range own {
			add(w, &own[i], probe)
		}
	}
	slices.SortFunc(w.Runs, func(x, y Run) int {
		return cmp.Or(cmp.Compare(x.Thread, y.Thread), cmp.Compare(x.CPU, y.CPU),
			cmp.Compare(x.Frequency, y.Frequency), cmp.Compare(x.Section, y.Section))
	})
	merge(w)
}

// add notes a span as a run of its own.
func add(w *Window, s *span, probe units.Instant) {
	whole := s.To.Sub(s.From)
	w.Runs = append(w.Runs, Run{Thread: s.Thread, CPU: s.CPU, Frequency: s.Frequency,
		Alone: whole - s.shared, Shared: s.shared, Probed: s.From <= probe && probe < s.To,
		Last: s.To, Section: s.section})
}

// merge joins runs of one thread, CPU, frequency and section.
func merge(w *Window) {
	n := 0
	for i, r := range w.Runs {
		if n > 0 && i > 0 {
			if p := &w.Runs[n-1]; p.Thread == r.Thread && p.CPU == r.CPU &&
				p.Frequency == r.Frequency && p.Section == r.Section {
				p.Alone += r.Alone
				p.Shared += r.Shared
				p.Probed = p.Probed || r.Probed
				p.Last = max(p.Last, r.Last)
				continue
			}
		}
		w.Runs[n] = r
		n++
	}
	w.Runs = w.Runs[:n]
}

// share finds, for each span, the time in which another CPU of its core was also busy.
func (b *Builder) share() {
	for c, own := range b.perCPU {
		core, ok := b.core[c]
		if !ok {
			continue
		}
		for o, other := range b.perCPU {
			if oc, ok := b.core[o]; !ok || o == c || oc != core {
				continue
			}
			overlap(own, other)
		}
	}
}

// overlap adds to own's shared time what other's spans cover of it; both are in order of their
// begins. A span may end before one that began earlier, as the scheduler charges a thread from its
// wake-up on. With more than two hardware threads a core, time may be covered twice: it counts once
// at most.
func overlap(own, other []span) {
	j := 0
	for i := range own {
		s := &own[i]
		for j < len(other) && other[j].To <= s.From {
			j++
		}
		for k := j; k < len(other) && other[k].From < s.To; k++ {
			s.shared += max(min(s.To, other[k].To).Sub(max(s.From, other[k].From)), 0)
		}
		s.shared = min(s.shared, s.To.Sub(s.From))
	}
}

// Waiting returns the samples of windows that are still open. The slice is the builder's own.
func (b *Builder) Waiting() []Sample { return b.samples }
