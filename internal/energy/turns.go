package energy

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// turn is the moment at which another section begins.
type turn struct {
	at      units.Instant
	section Section
}

// Section notes that another section begins. A time before the window that is being filled, or
// before the last turn, counts as that.
func (b *Builder) Section(at units.Instant, s Section) {
	at = max(at, b.begin)
	if n := len(b.turns); n > 0 {
		at = max(at, b.turns[n-1].at)
	}
	b.turns = append(b.turns, turn{at, s})
}

// mostTurns bounds the turns that count in one window: each cuts the slices that lie across it.
// Where there are more, the last of them counts from the next window on.
const mostTurns = 256

// sections fills in the stretches of a window, in order of time, each section once.
func (b *Builder) sections(w *Window) {
	b.marks = append(b.marks[:0], turn{w.From, b.section})
	n := 0
	for ; n < len(b.turns) && b.turns[n].at < w.To; n++ {
		b.turns[n].at = max(b.turns[n].at, w.From) // the turn came before the first window
		if n < mostTurns {
			b.marks = append(b.marks, b.turns[n])
		}
		b.section = b.turns[n].section
	}
	b.turns = slices.Delete(b.turns, 0, n)
	w.Sections = w.Sections[:0]
	for i, m := range b.marks {
		end := w.To
		if i+1 < len(b.marks) {
			end = b.marks[i+1].at
		}
		dur := end.Sub(m.at)
		if at := w.stay(m.section); at >= 0 {
			w.Sections[at].Dur += dur
		} else if dur > 0 || i == 0 {
			w.Sections = append(w.Sections, Stay{m.section, dur})
		}
	}
	if len(w.Sections) == 1 && w.first() == 0 {
		w.Sections = nil
	}
}

// sectionAt returns the section at a time of the window that is being closed.
func (b *Builder) sectionAt(at units.Instant) Section {
	i, found := slices.BinarySearchFunc(b.marks, at,
		func(m turn, at units.Instant) int { return cmp.Compare(m.at, at) })
	for found && i+1 < len(b.marks) && b.marks[i+1].at == at {
		i++ // the last of several turns at one time counts
	}
	if !found {
		i--
	}
	return b.marks[max(i, 0)].section
}

// pieces hands over the parts of a slice that lie in one section each.
func (b *Builder) pieces(s Slice, take func(Slice, Section)) {
	first, _ := slices.BinarySearchFunc(b.marks, s.From,
		func(m turn, at units.Instant) int { return cmp.Compare(m.at, at) })
	for i := max(first-1, 0); i < len(b.marks) && b.marks[i].at < s.To; i++ {
		m, end := b.marks[i], s.To
		if i+1 < len(b.marks) {
			end = min(end, b.marks[i+1].at)
		}
		if from := max(s.From, m.at); end > from {
			part := s
			part.From, part.To = from, end
			take(part, m.section)
		}
	}
}
