package sysfs

import "slices"

// Place returns where a CPU sits; false when it is not online.
func (l *Layout) Place(c CPU) (Place, bool) {
	i, ok := l.index[c]
	if !ok {
		return Place{CPU: c, Core: Unknown, Package: Unknown, Domain: Unknown}, false
	}
	return l.Places[i], true
}

// CPUs returns the CPUs that are online, ascending.
func (l *Layout) CPUs() []CPU { return l.in(func(Place) bool { return true }) }

// Numbers returns the numbers of the CPUs that are online, ascending, as perf_event_open takes
// them.
func (l *Layout) Numbers() (numbers []int) {
	for _, p := range l.Places {
		numbers = append(numbers, int(p.CPU))
	}
	return numbers
}

// InPackage returns the package's CPUs that are online, ascending.
func (l *Layout) InPackage(id Package) []CPU {
	return l.in(func(p Place) bool { return p.Package == id })
}

func (l *Layout) in(is func(Place) bool) []CPU {
	var cpus []CPU
	for _, p := range l.Places {
		if is(p) {
			cpus = append(cpus, p.CPU)
		}
	}
	return cpus
}

// Cores returns the cores with a CPU online, ascending.
func (l *Layout) Cores() []Core { return distinct(l, func(p Place) Core { return p.Core }) }

// Packages returns the packages with a CPU online, ascending.
func (l *Layout) Packages() []Package {
	return distinct(l, func(p Place) Package { return p.Package })
}

// distinct collects the ids except Unknown.
func distinct[ID ~int](l *Layout, of func(Place) ID) []ID {
	var ids []ID
	for _, p := range l.Places {
		if id := of(p); id != Unknown {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
