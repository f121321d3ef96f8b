package energy

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// TestClocks: means over times that have one clock, several, or none that is known.
func TestClocks(t *testing.T) {
	var c Clocks
	if _, known := c.Mean(0, 1); known {
		t.Error("there is a clock before the first is known")
	}
	ms := func(n float64) units.Instant { return units.Instant(n * 1e6) }
	c.Change(ms(10), 4e9)
	c.Change(ms(20), 2e9)
	c.Change(ms(20), 1e9) // at once
	c.Change(ms(30), 3e9)
	for _, x := range []struct {
		from, to, want float64 // ms, ms, GHz
	}{
		{11, 12, 4}, {10, 20, 4}, {20, 30, 1}, {15, 25, 2.5}, {10, 30, 2.5}, {40, 90, 3},
		{20, 40, 2}, {35, 35, 3},
	} {
		got, known := c.Mean(ms(x.from), ms(x.to))
		if !known || math.Abs(float64(got)/1e9-x.want) > 1e-6 {
			t.Errorf("%v to %v ms: %v, %v, not %v GHz", x.from, x.to, got, known, x.want)
		}
	}
	for _, x := range [][2]float64{{9, 20}, {20, 15}} {
		if f, known := c.Mean(ms(x[0]), ms(x[1])); known {
			t.Errorf("%v ms: %v", x, f)
		}
	}
}

// TestManyClocks: the memory has its bound, whole times keep their mean, and the last ones are
// exact.
func TestManyClocks(t *testing.T) {
	var c Clocks
	const changes = 3 * maxClocks
	step := units.Instant(time.Millisecond)
	for i := range units.Instant(changes) {
		c.Change(i*step, units.Frequency(1e9+1e9*float64(i%2)))
		if len(c.changes) >= maxClocks {
			t.Fatalf("%d changes are kept", len(c.changes))
		}
	}
	if f, _ := c.Mean(0, changes*step); math.Abs(float64(f)/1.5e9-1) > 1e-6 {
		t.Errorf("the mean is %v", f)
	}
	last := units.Instant(changes-2) * step
	if f, _ := c.Mean(last, last+step); math.Abs(float64(f)/1e9-1) > 1e-6 {
		t.Errorf("the last but one is %v", f)
	}
}
