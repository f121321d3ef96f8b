package rapl

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

// Kind is the part of the machine that a zone covers.
type Kind string

const (
	Package  Kind = "package"  // cores, caches, memory controller, graphics: all on one chip or die
	Cores    Kind = "cores"    // the cores of a package alone ("PP0")
	Graphics Kind = "graphics" // the uncore device of client parts ("PP1")
	Memory   Kind = "dram"     // the memory modules of a package
	Platform Kind = "psys"     // the whole system, as its maker has wired it
)

// Zone is one meter.
type Zone struct {
	Kind    Kind
	Package sysfs.Package // package that it belongs to; 0 for the platform
	Die     int           // die of the package, where each die has a meter; else 0
	Source  Source
	// Limit is the most that the zone's own power limits allow over a second; 0: unknown.
	Limit units.Power
	path  string // powercap: directory of the zone below the root
}

// Source is the interface through which a zone is read.
type Source string

const (
	powercap Source = "powercap"
	powerPMU Source = "perf"
)

// Name returns the zone's name in reports: "package-0", "package-0-die-1", "dram-1", "psys".
func (z *Zone) Name() string {
	if z.Kind == Platform {
		return string(z.Kind)
	}
	name := string(z.Kind) + "-" + strconv.Itoa(int(z.Package))
	if z.Die > 0 {
		name += "-die-" + strconv.Itoa(z.Die)
	}
	return name
}

// compare orders zones by kind as above, then by package and die.
func (z *Zone) compare(o *Zone) int {
	order := []Kind{Package, Cores, Graphics, Memory, Platform}
	return cmp.Or(
		cmp.Compare(slices.Index(order, z.Kind), slices.Index(order, o.Kind)),
		cmp.Compare(z.Package, o.Package),
		cmp.Compare(z.Die, o.Die),
	)
}

// same reports whether two zones cover the same part of the machine.
func (z *Zone) same(o *Zone) bool { return z.compare(o) == 0 }

// steady reports whether the zone always draws power. A part of a package can stand still because
// nothing uses it.
func (z *Zone) steady() bool { return z.Kind == Package || z.Kind == Platform }
