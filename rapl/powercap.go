package rapl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

const powercapDir = "class/powercap"

// powercapZones lists the zones of the powercap class. A directory that is no zone of a known kind
// is skipped.
func powercapZones(fs *sysfs.FS) ([]Zone, error) {
	names, err := fs.Names(powercapDir)
	if errors.Is(err, sysfs.ErrAbsent) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var zones []Zone
	for _, control := range []string{"intel-rapl:", "intel-rapl-mmio:"} {
		for _, n := range names {
			ids, ok := strings.CutPrefix(n, control)
			if !ok {
				continue
			}
			z, ok := powercapZone(fs, control, ids)
			if ok && !has(zones, &z) {
				zones = append(zones, z)
			}
		}
	}
	return zones, nil
}

func has(zones []Zone, z *Zone) bool {
	for i := range zones {
		if zones[i].same(z) {
			return true
		}
	}
	return false
}

// powercapZone returns the zone control+ids: "intel-rapl:0" is a package or the platform,
// "intel-rapl:0:1" a part of the package intel-rapl:0.
func powercapZone(fs *sysfs.FS, control, ids string) (Zone, bool) {
	z := Zone{Source: powercap, path: powercapDir + "/" + control + ids}
	name, err := fs.Read(z.path + "/name")
	if err != nil {
		return z, false
	}
	parent, _, part := strings.Cut(ids, ":")
	if !part {
		if name == "psys" {
			z.Kind = Platform
			return z, true
		}
		return z, z.ofPackage(name)
	}
	packageName, err := fs.Read(powercapDir + "/" + control + parent + "/name")
	if err != nil || !z.ofPackage(packageName) {
		return z, false
	}
	switch name {
	case "core":
		z.Kind = Cores
		return z, !amd(fs, &z)
	case "uncore":
		z.Kind = Graphics
	case "dram":
		z.Kind = Memory
	default:
		return z, false
	}
	return z, true
}

// ofPackage reads a zone's name: "package-0", "package-1-die-0".
func (z *Zone) ofPackage(name string) bool {
	rest, ok := strings.CutPrefix(name, "package-")
	if !ok {
		return false
	}
	number, die, several := strings.Cut(rest, "-die-")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil {
		return false
	}
	z.Kind, z.Package = Package, sysfs.Package(n)
	if several {
		d, err := strconv.ParseUint(die, 10, 16)
		if err != nil {
			return false
		}
		z.Die = int(d)
	}
	return true
}

// amd reports whether the zone's driver reads AMD's meters. Its packages have a subzone "core" and
// never one for the memory or the platform, and no power limit: constraint files are Intel's.
func amd(fs *sysfs.FS, z *Zone) bool {
	parent := z.path[:strings.LastIndexByte(z.path, ':')]
	_, err := fs.Read(parent + "/constraint_0_name")
	return errors.Is(err, sysfs.ErrAbsent)
}

// powercapMeter is a zone's open counter.
type powercapMeter struct {
	fs     *sysfs.FS
	path   string
	name   string // name of the zone
	energy *sysfs.Attribute
}

// openPowercap opens a zone, and returns the value at which its counter wraps.
func openPowercap(fs *sysfs.FS, z *Zone) (meter, units.Energy, error) {
	span, err := readSpan(fs, z)
	if err != nil {
		return nil, 0, err
	}
	m := &powercapMeter{fs: fs, path: z.path}
	if m.name, err = fs.Read(z.path + "/name"); err != nil {
		return nil, 0, err
	}
	if m.energy, err = fs.KeepReading(z.path + "/energy_uj"); err != nil {
		return nil, 0, err
	}
	return m, span, nil
}

// again opens the counter anew where its zone was removed and made again, as when the driver is
// unloaded and loaded: the open one stays with the old zone for ever. It reports whether it did.
func (m *powercapMeter) again() bool {
	if name, err := m.fs.Read(m.path + "/name"); err != nil || name != m.name {
		return false
	}
	energy, err := m.fs.KeepReading(m.path + "/energy_uj")
	if err != nil {
		return false
	}
	m.energy.Close() // opened for reading only
	m.energy = energy
	return true
}

// readSpan returns the value at which a zone's counter wraps, 0 for one that does not wrap. Drivers
// that do not know it say 0, or the most that 64 bits hold, or have no such file.
func readSpan(fs *sysfs.FS, z *Zone) (units.Energy, error) {
	path := z.path + "/max_energy_range_uj"
	text, err := fs.Read(path)
	if errors.Is(err, sysfs.ErrAbsent) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	switch span, err := strconv.ParseUint(text, 10, 64); {
	case err != nil:
		return 0, fmt.Errorf("read %s: %w: %.40q is no energy", path, sysfs.ErrMalformed, text)
	case span > uint64(maxMicrojoules):
		return 0, nil
	default:
		return units.Energy(span) * microjoule, nil
	}
}

const (
	microjoule     units.Energy = 1000
	maxMicrojoules              = int64(1<<63-1) / int64(microjoule)
)

func (m *powercapMeter) read() (units.Energy, error) {
	v, err := m.energy.ReadInt()
	if errors.Is(err, sysfs.ErrAbsent) && m.again() {
		v, err = m.energy.ReadInt()
	}
	if err != nil {
		return 0, err
	}
	if v > maxMicrojoules {
		return 0, fmt.Errorf("read %s: %w: %d", m.energy.Path(), sysfs.ErrMalformed, v)
	}
	return units.Energy(v) * microjoule, nil
}

func (m *powercapMeter) close() error { return m.energy.Close() }
