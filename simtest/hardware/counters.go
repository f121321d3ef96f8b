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

func (r *Counters) mask() uint64 { return 1<<r.spec.Bits - 1 }

// Update shows that sum has been spent up to at.
func (r *Counters) Update(at Picoseconds, sum Energy) {
	for i := range r.zones {
		c := &r.zones[i]
		was := c.joules
		c.joules = float64(r.spent(c.name, at, &sum)) / 1e9 * c.gain
		shown := c.joules + r.spec.Noise*r.rng.NormFloat64()*(c.joules-was)
		c.last = c.shown
		c.visible = at
		if r.spec.Jitter > 0 {
			jitter := int64(r.spec.Jitter) * picosecondsPerNanosecond
			c.visible += Picoseconds(r.rng.Int64N(jitter + 1))
		}
		if r.faulty(c.name, Stuck, at) {
			continue
		}
		c.shown = max(c.shown, uint64(max(shown, 0)/r.spec.Unit))
		if r.faulty(c.name, Backwards, at) && r.rng.IntN(8) == 0 {
			c.shown -= min(c.shown, 1+r.rng.Uint64N(1000))
		}
	}
}

// spent returns a zone's true energy up to at.
func (r *Counters) spent(zone string, at Picoseconds, sum *Energy) units.Energy {
	switch zone {
	case "core":
		return sum.Cores()
	case "dram":
		return sum.DRAM()
	case "psys":
		return sum.Total() + r.spec.Platform.For(at.Since())
	}
	return sum.Package()
}

func (r *Counters) faulty(zone string, k RAPLKind, at Picoseconds) bool {
	return slices.ContainsFunc(r.faults, func(f RAPLFault) bool {
		return f.Kind == k && f.Zone == zone && f.Has(at.Since())
	})
}

// Read returns a zone's raw counter at an instant not before the latest update. Its error wraps
// ErrNoZone.
func (r *Counters) Read(zone string, now Picoseconds) (uint64, error) {
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

// Zones returns the machine's zones.
func (r *Counters) Zones() []Zone {
	var z []Zone
	for i := range r.zones {
		z = append(z, Zone{Name: r.zones[i].name, Unit: r.spec.Unit, Bits: r.spec.Bits})
	}
	return z
}
