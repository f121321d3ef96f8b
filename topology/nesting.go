package topology

import "slices"

// Place returns where a CPU sits; false when it is not online.
func (m *Layout) Place(c CPU) (Place, bool) {
	i, ok := m.index[c]
	if !ok {
		return Place{CPU: c, Core: Unknown, Package: Unknown, Domain: Unknown}, false
	}
	return m.Places[i], true
}

// CPUs returns the CPUs that are online, ascending.
func (m *Layout) CPUs() []CPU { return m.in(func(Place) bool { return true }) }

// InCore returns the core's CPUs (its hardware threads) that are online, ascending.
func (m *Layout) InCore(c Core) []CPU { return m.in(func(p Place) bool { return p.Core == c }) }

// InPackage returns the package's CPUs that are online, ascending.
func (m *Layout) InPackage(id Package) []CPU {
	return m.in(func(p Place) bool { return p.Package == id })
}

// InDomain returns the frequency domain's CPUs that are online, ascending.
func (m *Layout) InDomain(d Domain) []CPU { return m.in(func(p Place) bool { return p.Domain == d }) }

func (m *Layout) in(is func(Place) bool) []CPU {
	var cpus []CPU
	for _, p := range m.Places {
		if is(p) {
			cpus = append(cpus, p.CPU)
		}
	}
	return cpus
}

// Cores returns the cores with a CPU online, ascending.
func (m *Layout) Cores() []Core { return distinct(m, func(p Place) Core { return p.Core }) }

// Packages returns the packages with a CPU online, ascending.
func (m *Layout) Packages() []Package {
	return distinct(m, func(p Place) Package { return p.Package })
}

// Domains returns the frequency domains with a CPU online, ascending.
func (m *Layout) Domains() []Domain {
	return distinct(m,
		func(p Place) Domain { return p.Domain })
}

// distinct collects ids but Unknown.
func distinct[ID ~int](m *Layout, of func(Place) ID) []ID {
	var ids []ID
	for _, p := range m.Places {
		if id := of(p); id != Unknown {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
