package energy

import (
	"cmp"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// maxClocks bounds the changes that are kept: 256 KiB. At one in 5 ms the last 40 s are whole.
const maxClocks = 1 << 14

// Clocks is the machine's clock over time. In a long run the older changes are joined in pairs,
// repeatedly. A mean over a time that begins or ends within a pair then uses the pair's mean.
type Clocks struct {
	changes []clock
	last    units.Frequency
}

// clock is a change of the machine's clock.
type clock struct {
	at     units.Instant
	cycles float64 // since the first change
}

// Change notes the clock from a time on. Times come in order; an earlier one counts as the last.
func (c *Clocks) Change(at units.Instant, f units.Frequency) {
	cycles := 0.0
	if n := len(c.changes); n > 0 {
		at = max(at, c.changes[n-1].at)
		cycles = c.cycles(at)
	}
	c.changes = append(c.changes, clock{at, cycles})
	if c.last = f; len(c.changes) >= maxClocks {
		c.thin()
	}
}

// thin drops every second change of the older half.
func (c *Clocks) thin() {
	half := len(c.changes) / 2
	kept := c.changes[:0]
	for i, x := range c.changes {
		if i >= half || i%2 == 0 {
			kept = append(kept, x)
		}
	}
	c.changes = kept
}

// cycles returns the cycles from the first change to a time that is not before it.
func (c *Clocks) cycles(at units.Instant) float64 {
	i, found := slices.BinarySearchFunc(c.changes, at, func(x clock, at units.Instant) int {
		return cmp.Compare(x.at, at)
	})
	if found {
		return c.changes[i].cycles
	}
	before := c.changes[i-1]
	each := float64(c.last) / 1e9
	if i < len(c.changes) {
		next := c.changes[i]
		each = (next.cycles - before.cycles) / float64(next.at-before.at)
	}
	return before.cycles + each*float64(at.Sub(before.at))
}

// Mean returns the mean clock between two times. It is unknown before the first change.
func (c *Clocks) Mean(begin, end units.Instant) (f units.Frequency, known bool) {
	if len(c.changes) == 0 || begin < c.changes[0].at || begin > end {
		return 0, false
	}
	d := max(end.Sub(begin), 1)
	return units.Frequency((c.cycles(begin.Add(d)) - c.cycles(begin)) / d.Seconds()), true
}
