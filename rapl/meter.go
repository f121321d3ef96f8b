package rapl

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ebb-energy/ebb/internal/linux/sysfs"
	"github.com/ebb-energy/ebb/units"
)

var (
	// ErrNone says that the machine has no meter that ebb knows, as most virtual machines.
	ErrNone = errors.New("no energy meter")
	// ErrPermission says that there are meters, but this user may not read them.
	ErrPermission = errors.New("reading the energy meters needs root")
)

// meter reads one zone's counter.
type meter interface {
	read() (units.Energy, error)
	close() error
}

// source is a zone with its open meter.
type source struct {
	Zone
	meter
	counter counter
}

// Meters are all zones of a machine, kept open. They belong to one goroutine.
type Meters struct {
	sources []*source
	// Left holds the zones that could not be opened or that show another's energy, with the reason.
	Left []Left

	keeper atomic.Pointer[keeper]                // nil unless KeepUp is active
	clocks func() (units.Instant, time.Duration) // a test's; nil: the machine's
}

// Left is a zone that is not read.
type Left struct {
	Zone Zone
	Why  error
}

// Reading is the energy that a zone has used since the first Read.
type Reading struct {
	Zone   Zone
	Energy units.Energy
	// Resets is the number of resets of the counter. Energy lacks the energy used meanwhile, for
	// the time Unknown in all.
	Resets  int
	Unknown time.Duration
	Frozen  bool // the counter has stood still for a second or more, so that Energy says nothing
	// Sleeps is the number of readings so far before which the machine had been suspended: the
	// energy since the reading before is of more time than passed on the clock.
	Sleeps int
	// Doubt is the reason why the meter is not believed since the last Cut; "" where it is.
	Doubt string
	Err   error // error of this very reading; the next one that succeeds covers the gap
}

// errMirror says that the zone shows the energy of another.
var errMirror = errors.New("shows the same counter as the package's first die")

// Open opens the machine's meters below /sys. It fails with ErrNone or ErrPermission when none can
// be read.
func Open(fs *sysfs.FS) (*Meters, error) { return open(fs, openEvent) }

func open(fs *sysfs.FS, openEvent eventOpener) (*Meters, error) {
	zones, err := powercapZones(fs)
	if err != nil {
		return nil, err
	}
	m := &Meters{}
	m.openPMU(fs, openEvent)
	for _, z := range zones {
		z.Limit = ownLimit(fs, &z)
		if i := m.find(&z); i >= 0 {
			m.sources[i].Limit = z.Limit
			continue
		}
		r, span, err := openPowercap(fs, &z)
		m.take(z, r, span, err)
	}
	m.dropMirrors()
	slices.SortFunc(m.sources, func(a, b *source) int { return a.compare(&b.Zone) })
	if len(m.sources) > 0 {
		return m, nil
	}
	for _, l := range m.Left {
		if errors.Is(l.Why, sysfs.ErrRefused) {
			return nil, fmt.Errorf("%w: %w", ErrPermission, l.Why)
		}
	}
	if len(m.Left) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrNone, m.Left[0].Why)
	}
	return nil, ErrNone
}

// take adds a zone's meter. A meter whose first reading fails goes to Left: otherwise a run would
// show 0 J for it.
func (m *Meters) take(z Zone, r meter, span units.Energy, err error) {
	if err == nil {
		if _, err = r.read(); err != nil {
			err = errors.Join(err, r.close())
		}
	}
	if err != nil {
		m.Left = append(m.Left, Left{z, err})
		return
	}
	m.sources = append(m.sources, &source{Zone: z, meter: r,
		counter: counter{span: span, steady: z.steady()}})
}

func (m *Meters) find(z *Zone) int {
	return slices.IndexFunc(m.sources, func(s *source) bool { return s.same(z) })
}

// dropMirrors leaves out the further dies of a package that read the same counter as its first:
// AMD's first two Zen generations have one meter a package and show it once for each die, which
// doubles every sum.
//
// The first die is read before and after the other: of two counters that have nothing to do with
// each other, one does not lie between two readings of the other a few microseconds apart, out of a
// range of many joules.
func (m *Meters) dropMirrors() {
	m.sources = slices.DeleteFunc(m.sources, func(s *source) bool {
		if s.Die == 0 {
			return false
		}
		first := slices.IndexFunc(m.sources,
			func(o *source) bool {
				return o.Kind == s.Kind && o.Package == s.Package &&
					o.Die == 0
			})
		if first < 0 || !mirrors(m.sources[first], s) {
			return false
		}
		m.Left = append(m.Left, Left{s.Zone, errors.Join(errMirror, s.close())})
		return true
	})
}

func mirrors(first, other meter) bool {
	before, err1 := first.read()
	v, err2 := other.read()
	after, err3 := first.read()
	return errors.Join(err1, err2, err3) == nil && before <= v && v <= after
}

// Zones returns the zones that are read, in the order of Read.
func (m *Meters) Zones() []Zone {
	var out []Zone
	for _, s := range m.sources {
		out = append(out, s.Zone)
	}
	return out
}

// wrapPower is the most that a zone is assumed to draw for long. It gives the shortest time in
// which the zone's counter can wrap.
const wrapPower units.Power = 1000

// leastPeriod bounds the cost of reading. Counters that wrap at less than 20 J would need a shorter
// period; TooFast says which.
const leastPeriod = 10 * time.Millisecond

// Period returns the longest interval between two readings in which no counter wraps twice: at most
// a minute, and at least leastPeriod. It is 0 when no interval is too long, because the kernel
// watches for wraps.
func (m *Meters) Period() time.Duration {
	var p time.Duration
	for _, s := range m.sources {
		if s.counter.span > 0 {
			twice := time.Duration(float64(s.counter.span) / float64(2*wrapPower)) // nJ/W = ns
			if p == 0 {
				p = time.Minute
			}
			p = min(p, max(twice, leastPeriod))
		}
	}
	return p
}

// Read reads every zone at the time at. The first one begins the totals. Between two readings a
// counter may wrap once; see Period.
//
// A reading that fails loses nothing: the next one covers the gap.
func (m *Meters) Read(at units.Instant, out []Reading) []Reading {
	now := moment{from: at}
	_, now.slept = m.now()
	for _, s := range m.sources {
		v, err := s.read()
		if now.to, now.sleptTo = m.now(); err == nil {
			s.counter.add(v, now)
		}
		c := &s.counter
		out = append(out, Reading{Zone: s.Zone, Energy: c.total, Resets: c.resets, Unknown: c.holes,
			Frozen: c.frozen(), Sleeps: c.sleeps, Doubt: s.doubt(), Err: err})
	}
	m.keeper.Load().read()
	return out
}

// Close closes the meters.
func (m *Meters) Close() error {
	var errs []error
	for _, s := range m.sources {
		errs = append(errs, s.close())
	}
	m.sources = nil
	return errors.Join(errs...)
}
