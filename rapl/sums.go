package rapl

import "github.com/ebb-energy/ebb/units"

// Sums adds up the energies that all packages, their cores and all memory have used. They are not
// known (ok is false) when a package's meter fails or stands still, or a memory's fails. Cores is 0
// unless each package has a meter of its cores that runs.
func Sums(readings []Reading) (pkg, cores, dram units.Energy, ok bool) {
	unmetered := 0 // number of packages whose cores have no meter
	for _, r := range readings {
		works := r.Err == nil && !r.Frozen
		switch r.Zone.Kind {
		case Package:
			if !works {
				return 0, 0, 0, false
			}
			pkg, ok = pkg.Plus(r.Energy), true
			unmetered++
		case Cores:
			if works {
				cores = cores.Plus(r.Energy)
				unmetered--
			}
		case Memory:
			if r.Err != nil {
				return 0, 0, 0, false
			}
			dram = dram.Plus(r.Energy) // where nothing uses it, it may stand still
		}
	}
	if unmetered != 0 {
		cores = 0
	}
	return pkg, cores, dram, ok
}
