package energy

import (
	"cmp"
	"slices"
)

// Fold moves each unit's energy to the unit that to returns for it. This keeps a long run's ledger
// small. Sums stay the same, to the nJ. Only a thread that has exited (see Exited) may become
// another.
func (l *Ledger) Fold(to func(Unit) Unit) {
	var moved []Unit
	for u := range l.entries {
		if to(u) != u {
			moved = append(moved, u)
		}
	}
	// Squares are added in a fixed order, whatever order the map has.
	slices.SortFunc(moved, compareUnits)
	for _, u := range moved {
		from := l.entries[u]
		delete(l.entries, u)
		e := l.entry(to(u))
		a, b := l.before(from), l.before(e)
		e.earlier = had{a.samples + b.samples, a.stands + b.stands, a.energy + b.energy}
		e.seen = e.seen || from.seen
		for zone, amount := range from.Energy {
			e.Energy[zone] += amount
		}
		e.Time += from.Time
		e.Samples += from.Samples
		e.stands += from.stands
		e.Squares += from.Squares
	}
	if len(moved) == 0 {
		return
	}
	if l.joining != nil {
		for _, own := range l.joining.samples {
			for i := range own {
				own[i].unit = to(own[i].unit)
			}
		}
	}
	for o, seen := range l.seen {
		changed := false
		for i, u := range seen {
			if v := to(u); v != u {
				seen[i], changed = v, true
			}
		}
		if changed {
			slices.SortFunc(seen, compareUnits)
			l.seen[o] = slices.Clone(slices.Compact(seen))
		}
	}
}

func compareUnits(a, b Unit) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Stack, b.Stack),
		cmp.Compare(a.Frequency, b.Frequency), cmp.Compare(a.Section, b.Section))
}
