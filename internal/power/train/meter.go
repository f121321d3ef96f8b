package train

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/ebb-energy/ebb/internal/inventory"
	"github.com/ebb-energy/ebb/internal/linux/monotonic"
	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/rapl"
	"github.com/ebb-energy/ebb/units"
)

// Errors of meters.
var (
	// errNoMeter says that nothing here measures power.
	errNoMeter = errors.New("no energy meter")
	// errGap says that what an interval used is not known, because the meter was reset or failed.
	errGap = errors.New("the meter lost an interval")
	// errFrozen says that the meter stands still.
	errFrozen = errors.New("the energy meter stands still")
)

// meter measures a machine's power.
type meter interface {
	name() string
	// look is called at least every period between two cuts.
	look(at units.Instant)
	period() time.Duration
	// cut returns the mean power since the last cut, in W; NaN where it is filled in later. The
	// error is errGap where the power is not known, and errFrozen.
	cut(at units.Instant) (float64, error)
	close() error
}

// MeterSettings say which meter is read.
type MeterSettings struct {
	Root  string // folder of the machine's attributes, usually /sys
	Hwmon string // name of a sensor of the hwmon class; empty: RAPL
	Wall  string // file to which another program logs a wall meter; empty: none
}

// openMeter opens the meter that was asked for, else RAPL, else ACPI's meter.
func openMeter(fs *sysfs.FS, s *MeterSettings) (meter, error) {
	switch {
	case s.Wall != "":
		return wallMeter{}, nil
	case s.Hwmon != "":
		return openHwmon(fs, s.Hwmon)
	}
	m, err := openRAPL(fs)
	if !errors.Is(err, rapl.ErrNone) {
		return m, err
	}
	h, err := openHwmon(fs, inventory.ACPI)
	if err == nil {
		return h, nil
	}
	if errors.Is(err, inventory.ErrSeveral) {
		return nil, fmt.Errorf("%w, with --hwmon", err)
	}
	return nil, fmt.Errorf("%w: neither powercap nor perf nor ACPI has one here; "+
		"name a sensor with --hwmon, a wall meter's log with --meter-csv, or train on another "+
		"machine", errNoMeter)
}

// PowerMeter opens a meter to be read at any time: power returns the mean power since the call
// before, in W, or NaN where it is not known. Power is nil where the meter is another program's
// log, which is read at the end. The caller must call done.
func PowerMeter(s *MeterSettings) (power func() float64, done func() error, err error) {
	if s.Wall != "" {
		return nil, func() error { return nil }, nil
	}
	fs, err := sysfs.Open(s.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoMeter, err)
	}
	m, err := openMeter(fs, s)
	if err != nil {
		fs.Close() // it was opened for reading
		return nil, nil, err
	}
	var mu sync.Mutex
	var looking sync.WaitGroup
	over := make(chan struct{})
	looking.Go(func() {
		tick := time.NewTicker(m.period())
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				mu.Lock()
				m.look(monotonic.Now())
				mu.Unlock()
			}
		}
	})
	power = func() float64 {
		mu.Lock()
		defer mu.Unlock()
		watts, err := m.cut(monotonic.Now())
		if err != nil {
			return math.NaN()
		}
		return watts
	}
	return power, func() error {
		close(over)
		looking.Wait()
		defer fs.Close() // it was opened for reading
		return m.close()
	}, nil
}

// raplMeter measures the energy of all packages and their memory.
type raplMeter struct {
	meters *rapl.Meters
	read   []rapl.Reading
	last   units.Energy
	at     units.Instant
	resets int
	gap    bool // the last reading failed
}

func openRAPL(fs *sysfs.FS) (meter, error) {
	open, err := rapl.Open(fs)
	if err != nil {
		return nil, err
	}
	if err := open.Whole(); err != nil {
		return nil, errors.Join(err, open.Close())
	}
	for _, z := range open.Zones() {
		if z.Kind == rapl.Package {
			return &raplMeter{meters: open}, nil
		}
	}
	return nil, errors.Join(rapl.ErrNone, open.Close())
}

func (m *raplMeter) name() string {
	names := []string{}
	for _, z := range m.meters.Zones() {
		if z.Kind == rapl.Package || z.Kind == rapl.Memory {
			names = append(names, z.Name())
		}
	}
	return "rapl: " + strings.Join(names, ", ")
}

func (m *raplMeter) period() time.Duration {
	if p := m.meters.Period(); p > 0 {
		return p
	}
	return time.Minute
}

func (m *raplMeter) look(at units.Instant) { m.read = m.meters.Read(at, m.read[:0]) }

func (m *raplMeter) cut(at units.Instant) (float64, error) {
	m.look(at)
	resets := 0
	for _, r := range m.read {
		resets += r.Resets
		if r.Frozen && r.Zone.Kind == rapl.Package {
			return 0, fmt.Errorf("%w: %s", errFrozen, r.Zone.Name())
		}
	}
	pkg, _, dram, ok := rapl.Sums(m.read)
	used, took := pkg.Plus(dram)-m.last, at.Sub(m.at)
	known := ok && resets == m.resets && !m.gap && took > 0 && used > 0
	m.at, m.resets, m.gap = at, resets, !ok
	if ok {
		m.last = pkg.Plus(dram)
	}
	if !known {
		return 0, errGap
	}
	return float64(used.Over(took)), nil
}

func (m *raplMeter) close() error { return m.meters.Close() }

// filtered returns a sentence for a meter to which the processor adds noise; "" for any other.
func filtered(root string) string {
	if !inventory.KernelsOwn(root) {
		return ""
	}
	if yes, err := rapl.Filtered("/dev/cpu/0/msr"); err != nil || !yes {
		return ""
	}
	return "the processor adds noise to its energy meters (filtering is on): intervals below a " +
		"second are worth little"
}

// wallMeter stands for a meter whose log is read at the end: until then its powers are NaN.
type wallMeter struct{}

func (wallMeter) name() string                       { return "wall meter" }
func (wallMeter) look(units.Instant)                 {}
func (wallMeter) period() time.Duration              { return time.Minute }
func (wallMeter) cut(units.Instant) (float64, error) { return math.NaN(), nil }
func (wallMeter) close() error                       { return nil }
