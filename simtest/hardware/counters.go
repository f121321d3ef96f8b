package hardware

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// Counters are the energy counters of one machine. Give Update to its Meter.
type Counters struct {
	spec   RAPL
	faults []RAPLFault
	rng    *rand.Rand
	zones  []zoneCounter
}

// zoneCounter is one zone's counter.
type zoneCounter struct {
	name    string
	start   uint64 // raw value at the machine's start
	gain    float64
	joules  float64     // spent so far, with gain and without noise
	shown   uint64      // counts since start, by the latest update
	last    uint64      // counts since start, by the update before
	visible Picoseconds // time at which the latest update shows
}

// NewCounters makes the counters of a machine that starts now. They begin anywhere in their range,
// because nothing resets them on a real machine.
func NewCounters(spec RAPL, faults []RAPLFault, seed uint64) *Counters {
	r := &Counters{spec: spec, faults: faults, rng: rand.New(rand.NewPCG(seed, 0x7261706c))}
	for _, name := range spec.Zones {
		c := zoneCounter{name: name, gain: 1, start: r.rng.Uint64() & r.mask()}
		if g, ok := spec.Gain[name]; ok {
			c.gain = g
		}
		for _, f := range faults {
			if f.Kind == Wrapping && f.Zone == name {
				c.start = (-uint64(1 / spec.Unit)) & r.mask()
			}
		}
		r.zones = append(r.zones, c)
	}
	return r
}

func (c *Counters) mask() uint64 { return 1<<c.spec.Bits - 1 }

// Update shows that sum has been spent up to at.
func (c *Counters) Update(at Picoseconds, sum Energy) {
	for i := range c.zones {
		z := &c.zones[i]
		was := z.joules
		z.joules = float64(c.spent(z.name, at, &sum)) / 1e9 * z.gain
		shown := z.joules + c.spec.Noise*c.rng.NormFloat64()*(z.joules-was)
		z.last = z.shown
		z.visible = at
		if c.spec.Jitter > 0 {
			jitter := int64(c.spec.Jitter) * picosecondsPerNanosecond
			z.visible += Picoseconds(c.rng.Int64N(jitter + 1))
		}
		if c.faulty(z.name, Stuck, at) {
			continue
		}
		z.shown = max(z.shown, uint64(max(shown, 0)/c.spec.Unit))
		if c.faulty(z.name, Backwards, at) && c.rng.IntN(8) == 0 {
			z.shown -= min(z.shown, 1+c.rng.Uint64N(1000))
		}
	}
}

// spent returns a zone's true energy up to at.
func (c *Counters) spent(zone string, at Picoseconds, sum *Energy) units.Energy {
	switch zone {
	case "core":
		return sum.Cores()
	case "dram":
		return sum.DRAM()
	case "psys":
		return sum.Total() + c.spec.Platform.For(at.Since())
	}
	return sum.Package()
}

func (c *Counters) faulty(zone string, k RAPLKind, at Picoseconds) bool {
	return slices.ContainsFunc(c.faults, func(f RAPLFault) bool {
		return f.Kind == k && f.Zone == zone && f.Has(at.Since())
	})
}

// Read returns a zone's raw counter at an instant not before the latest update. Its error wraps
// ErrNoZone.
func (c *Counters) Read(zone string, now Picoseconds) (uint64, error) {
	for i := range c.zones {
		z := &c.zones[i]
		if z.name != zone {
			continue
		}
		if c.faulty(zone, Gone, now) {
			return 0, fmt.Errorf("%w: %s is gone", ErrNoZone, zone)
		}
		v := z.shown
		if now < z.visible {
			v = z.last
		}
		return (z.start + v) & c.mask(), nil
	}
	return 0, fmt.Errorf("%w: %s", ErrNoZone, zone)
}

// Zones returns the machine's zones.
func (c *Counters) Zones() []Zone {
	var z []Zone
	for i := range c.zones {
		z = append(z, Zone{Name: c.zones[i].name, Unit: c.spec.Unit, Bits: c.spec.Bits})
	}
	return z
}
