package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/wattmeter"
	"github.com/ebb-energy/ebb/internal/power/wattmeter/log"
)

// TestAlign: a log whose clock is off is moved to where the power follows the load; one that says
// nothing of the load is left where it is.
func TestAlign(t *testing.T) {
	for _, lag := range []float64{0, 7.5, -12} {
		d := sampleData(6, 40)
		var text strings.Builder
		var truth []float64
		for i := range d.Intervals {
			v := &d.Intervals[i]
			begin := seconds(v.At) + lag
			truth = append(truth, v.Power)
			fmt.Fprintf(&text, "%.3f,%.4f\n%.3f,%.4f\n", begin+0.001, v.Power, begin+0.999, v.Power)
			v.Power = math.NaN()
		}
		samples, err := log.Read(strings.NewReader(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		if a := d.align(samples); a.Lag != lag || a.Filled < len(truth)-15 || a.Follows < 0.95 {
			t.Errorf("lag %v: found %+v, of %d", lag, a, len(truth))
		}
		for i, v := range d.Intervals {
			if !math.IsNaN(v.Power) && math.Abs(v.Power-truth[i]) > 0.1 {
				t.Errorf("lag %v, interval %d: %.3f W, not %.3f", lag, i, v.Power, truth[i])
				break
			}
		}
	}
	flat := sampleData(2, 40)
	for i := range flat.Intervals {
		flat.Intervals[i].Power = math.NaN()
	}
	begin := seconds(flat.Intervals[0].At)
	var three []wattmeter.Reading
	for _, s := range []float64{-1, 9, 19} {
		three = append(three, wattmeter.Reading{At: begin + s, Power: 20})
	}
	a := flat.align(three)
	if a.Lag != 0 || a.Filled == 0 {
		t.Errorf("a flat log: %+v", a)
	}
	// On a machine that is always busy chance decides which lag is best, and none is believed.
	r := rand.New(rand.NewPCG(7, 1))
	var noise []wattmeter.Reading
	for i := range flat.Intervals {
		v := &flat.Intervals[i]
		v.Power, v.Inputs[1] = math.NaN(), 99+r.Float64()
		noise = append(noise, wattmeter.Reading{At: seconds(v.At), Power: 40 + 20*r.Float64()})
	}
	if a := flat.align(noise); a.Lag != 0 || a.Follows > wattmeter.Follows {
		t.Errorf("noise: %+v", a)
	}
}
