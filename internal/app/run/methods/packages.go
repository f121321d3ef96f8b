package methods

import (
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// findPackages notes the packages of the files without names, for the command that installs their
// symbols. A file of a container has the same package as on this machine, where both have the same
// kind of distribution.
func findPackages(p *profile.Profile) {
	var paths []string
	for i := range p.Nameless {
		paths = append(paths, p.Nameless[i].Path)
	}
	if len(paths) == 0 {
		return
	}
	owners := inventory.PackageOwners(inventory.PackageLists, paths)
	for i := range p.Nameless {
		p.Nameless[i].Package = owners[p.Nameless[i].Path]
	}
}
