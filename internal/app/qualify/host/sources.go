package host

import (
	"errors"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// Names of the parts of a machine that a meter covers.
const (
	ofPackage = "package" // processor and memory
	ofMachine = "machine"
	ofPart    = "part" // something else
)

// processorMeter reads the energy of all packages and their memory.
type processorMeter struct {
	open *rapl.Meters
	read []rapl.Reading
	last units.Energy
	at   units.Instant
}

func openRAPL(fs *sysfs.FS) (*processorMeter, error) {
	open, err := rapl.Open(fs)
	if err != nil {
		return nil, err
	}
	if err := open.Whole(); err != nil {
		return nil, errors.Join(err, open.Close())
	}
	if !slices.ContainsFunc(open.Zones(), func(z rapl.Zone) bool {
		return z.Kind == rapl.Package
	}) {
		return nil, errors.Join(rapl.ErrNone, open.Close())
	}
	return &processorMeter{open: open}, nil
}

func (m *processorMeter) close() error { return m.open.Close() }

func (m *processorMeter) energy(at units.Instant) (units.Energy, bool) {
	m.read = m.open.Read(at, m.read[:0])
	pkg, _, dram, ok := rapl.Sums(m.read)
	return pkg.Plus(dram), ok
}

// cut returns the mean power since the last cut; false where it is not known, as at the first.
func (m *processorMeter) cut(at units.Instant) (float64, bool) {
	e, ok := m.energy(at)
	if !ok {
		m.at = 0
		return 0, false
	}
	used, took, known := e-m.last, at.Sub(m.at), m.at > 0
	m.last, m.at = e, at
	if !known || took <= 0 {
		return 0, false
	}
	return float64(used.Over(took)), true
}

// Bounds of the time in which a counter is watched.
const (
	grainTime    = 100 * time.Millisecond
	grainChanges = 64
)

// grain watches the counter for a while, as fast as it can be read. It returns the least change in
// J and the time between two changes; 0 where unknown.
func (m *processorMeter) grain() (step float64, period time.Duration) {
	begin := monotonic.Now()
	last, ok := m.energy(begin)
	var first, end units.Instant
	changes := 0
	for at := begin; ok && at.Sub(begin) < grainTime && changes < grainChanges; {
		var e units.Energy
		at = monotonic.Now()
		e, ok = m.energy(at)
		if e == last || !ok {
			continue
		}
		if j := float64(e-last) / 1e9; step == 0 || j < step {
			step = j
		}
		if changes++; changes == 1 {
			first = at
		}
		last, end = e, at
	}
	m.at = 0 // the next cut begins anew
	if changes < 2 {
		return step, 0
	}
	return step, end.Sub(first) / time.Duration(changes-1)
}
