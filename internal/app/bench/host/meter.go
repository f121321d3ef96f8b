package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
)

// raplMeter is the machine's own energy meters as a bench.Meter.
type raplMeter struct {
	open  *rapl.Meters
	begin []rapl.Reading
	stop  func()
}

// OpenMeter opens the machine's energy meters; nil without an error when it has none. Close is to
// be called in the end.
func OpenMeter(fs *sysfs.FS) (meter bench.Meter, close func() error, err error) {
	open, err := rapl.Open(fs)
	switch {
	case errors.Is(err, rapl.ErrNone):
		return nil, func() error { return nil }, nil
	case err != nil:
		return nil, nil, fmt.Errorf("open the energy meters: %w", err)
	}
	if err := open.Whole(); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("open the energy meters: %w", err), open.Close())
	}
	return &raplMeter{open: open}, open.Close, nil
}

// Source implements bench.Meter.
func (*raplMeter) Source() bench.Source { return bench.Measured }

// Begin implements bench.Meter.
func (m *raplMeter) Begin() error {
	m.begin = m.open.Read(monotonic.Now(), nil)
	if err := failed(m.begin); err != nil {
		return err
	}
	var buf []rapl.Reading
	m.stop = m.open.KeepUp(func() { buf = m.open.Read(monotonic.Now(), buf[:0]) })
	return nil
}

// End implements bench.Meter.
func (m *raplMeter) End() ([]bench.Zone, error) {
	m.stop()
	end := m.open.Read(monotonic.Now(), nil)
	if err := failed(end); err != nil {
		return nil, err
	}
	var zones []bench.Zone
	for i := range end {
		name, counted := zoneOf(string(end[i].Zone.Kind))
		switch used := end[i].Energy - m.begin[i].Energy; {
		case !counted:
		case end[i].Resets > m.begin[i].Resets:
			return nil, fmt.Errorf("energy meter %s was reset during the run", end[i].Zone.Name())
		case used == 0 && name == bench.Processor:
			return nil, fmt.Errorf("energy meter %s stood still during the run", end[i].Zone.Name())
		default:
			zones = append(zones, bench.Zone{Name: name, Energy: used})
		}
	}
	return zones, nil
}

func failed(readings []rapl.Reading) error {
	var all []string
	for _, r := range readings {
		if r.Err != nil {
			all = append(all, fmt.Sprintf("%s: %v", r.Zone.Name(), r.Err))
		}
	}
	if len(all) > 0 {
		return fmt.Errorf("read the energy meters: %s", strings.Join(all, "; "))
	}
	return nil
}

// zoneOf returns the bench's name of a meter's kind of zone. It returns false for a zone that is
// part of another or contains all: cores and graphics are in their package, and the platform
// contains package and memory.
func zoneOf(kind string) (string, bool) {
	switch rapl.Kind(kind) {
	case rapl.Package:
		return bench.Processor, true
	case rapl.Memory:
		return bench.Memory, true
	}
	return "", false
}
