package wattmeter

import (
	"math"
	"math/rand/v2"
	"testing"
)

// machine makes readings of a machine whose load varies, by a meter that shows the mean of the last
// second, late.
func machine(seed uint64, seconds int, late float64, varies bool) (readings []Reading,
	load []Load,
) {
	rng := rand.New(rand.NewPCG(seed, 2))
	busy, at := 0.0, 1000.0
	load = append(load, Load{at, 0})
	for s := range seconds {
		share := 1.0
		if varies && s%6 < 3 {
			share = 0.2 + 0.1*rng.Float64()
		}
		busy, at = busy+2*share, at+1
		load = append(load, Load{at, busy})
		readings = append(readings, Reading{at - 0.5 + late, 30 + 40*share + rng.Float64()})
	}
	return readings, load
}

// TestFindLag: a lag is found to the grain of the search and half a period, whichever its sign, and
// none is believed where the load does not vary.
func TestFindLag(t *testing.T) {
	look := Lags{-30, 30, 0.25}
	for _, late := range []float64{0, 2.25, -7.5, 20} {
		readings, load := machine(1, 120, late, true)
		l := FindLag(readings, load, look)
		if !l.Known || math.Abs(l.Late-late) > 0.5 || l.Follows < 0.9 {
			t.Errorf("%v s late: %+v", late, l)
		}
	}
	for seed := range uint64(20) {
		readings, load := machine(seed, 120, 3, false)
		if l := FindLag(readings, load, look); l.Known || l.Late != 0 {
			t.Errorf("a load that does not vary: %+v", l)
		}
	}
	readings, load := machine(1, 15, 0, true)
	if l := FindLag(readings, load, look); l.Known {
		t.Errorf("fifteen seconds: %+v", l)
	}
	if l := FindLag(nil, nil, look); l.Known || l.Follows != 0 {
		t.Errorf("nothing: %+v", l)
	}
}
