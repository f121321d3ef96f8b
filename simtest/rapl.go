package simtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// RAPLPart is how the machine's energy counters behave. Readers see nothing else of the machine's
// energy.
type RAPLPart struct {
	Zones []string // of "package", "core", "dram", "psys"; none is a machine without RAPL
	// Platform is what psys has beside processor and memory.
	Platform units.Power

	// an update, every millisecond, shows up to this later; below a millisecond
	Jitter time.Duration
	Unit   float64 // J a count
	Bits   int     // width of the counters
	// Noise is the relative standard deviation of what one update adds. What one adds too much, the
	// next ones lack.
	Noise float64
	// Gain is what a zone's counter shows for 1 J; 1 where it is not named. Estimated counters are
	// off by some per cent.
	Gain map[string]float64
}

// zones are the names that a profile can have.
var zones = []string{"package", "core", "dram", "psys"}

func (p *RAPLPart) validate(name string) error {
	if len(p.Zones) == 0 {
		return nil
	}
	for _, z := range p.Zones {
		if !slices.Contains(zones, z) {
			return fmt.Errorf("profile %s: no energy zone %q", name, z)
		}
	}
	if p.Jitter < 0 || p.Jitter >= time.Millisecond || !(p.Unit > 0) || p.Bits < 1 || p.Bits > 63 ||
		!(p.Noise >= 0) || p.Platform < 0 {
		return fmt.Errorf("profile %s: energy counters that make no sense: %+v", name, *p)
	}
	return nil
}

// Zone is one RAPL counter: what it is called and what its counts mean.
type Zone struct {
	Name string
	Unit float64 // J a count
	Bits int     // it wraps to 0 after 2^Bits - 1
}

// Between is the energy from one reading to a later one, if the counter wrapped at most once.
func (z Zone) Between(before, after uint64) units.Energy {
	counts := (after - before) & (1<<z.Bits - 1)
	return units.Energy(math.Round(float64(counts) * z.Unit * 1e9))
}

// ErrNoZone is what reading a zone returns that is not there, or not any more.
var ErrNoZone = errors.New("no such energy zone")

// rapl are a machine's energy counters.
type rapl struct {
	part   RAPLPart
	faults []RAPLFault
	rng    *rand.Rand
	zones  []counter
}

// counter is one zone's.
type counter struct {
	name        string
	start       uint64
	gain        float64
	true        float64 // J so far, with gain and without noise
	shown, last uint64  // counts since start: by the latest update, and by the one before
	visible     ps      // when the latest update shows
}

// newRAPL makes the counters of a machine that starts now. They begin anywhere in their range, as
// nobody resets them.
func newRAPL(p *Profile, faults []RAPLFault, seed uint64) *rapl {
	r := &rapl{part: p.RAPL, faults: faults, rng: rand.New(rand.NewPCG(seed, 0x7261706c))}
	for _, name := range p.RAPL.Zones {
		c := counter{name: name, gain: 1, start: r.rng.Uint64() & r.mask()}
		if g, ok := p.RAPL.Gain[name]; ok {
			c.gain = g
		}
		for _, f := range faults {
			if f.Kind == Wrapping && f.Zone == name {
				c.start = (-uint64(1 / p.RAPL.Unit)) & r.mask()
			}
		}
		r.zones = append(r.zones, c)
	}
	return r
}

func (r *rapl) mask() uint64 { return 1<<r.part.Bits - 1 }

// tick is an update: e has been spent up to at.
func (r *rapl) tick(at ps, e Energy) {
	for i := range r.zones {
		c := &r.zones[i]
		was := c.true
		c.true = float64(r.joules(c.name, at, &e)) / 1e9 * c.gain
		shown := c.true + r.part.Noise*r.rng.NormFloat64()*(c.true-was)
		c.last = c.shown
		c.visible = at
		if r.part.Jitter > 0 {
			c.visible += ps(r.rng.Int64N(int64(r.part.Jitter)*1000 + 1))
		}
		if r.faulty(c.name, Stuck, at) {
			continue
		}
		c.shown = max(c.shown, uint64(max(shown, 0)/r.part.Unit))
		if r.faulty(c.name, Backwards, at) && r.rng.IntN(8) == 0 {
			c.shown -= min(c.shown, 1+r.rng.Uint64N(1000))
		}
	}
}

// joules are what a zone has spent, in nJ.
func (r *rapl) joules(zone string, at ps, e *Energy) units.Energy {
	switch zone {
	case "core":
		return e.Cores()
	case "dram":
		return e.DRAM()
	case "psys":
		return e.Total() + r.part.Platform.For(time.Duration(at/1000))
	}
	return e.Package()
}

func (r *rapl) faulty(zone string, k RAPLFaultKind, at ps) bool {
	return slices.ContainsFunc(r.faults, func(f RAPLFault) bool {
		return f.Kind == k && f.Zone == zone && f.has(time.Duration(at/1000))
	})
}

// read is a zone's counter at an instant not before the latest update.
func (r *rapl) read(zone string, now ps) (uint64, error) {
	for i := range r.zones {
		c := &r.zones[i]
		if c.name != zone {
			continue
		}
		if r.faulty(zone, Gone, now) {
			return 0, fmt.Errorf("%w: %s is gone", ErrNoZone, zone)
		}
		v := c.shown
		if now < c.visible {
			v = c.last
		}
		return (c.start + v) & r.mask(), nil
	}
	return 0, fmt.Errorf("%w: %s", ErrNoZone, zone)
}

// all are the zones.
func (r *rapl) all() []Zone {
	var z []Zone
	for i := range r.zones {
		z = append(z, Zone{Name: r.zones[i].name, Unit: r.part.Unit, Bits: r.part.Bits})
	}
	return z
}
