package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestReadWall(t *testing.T) {
	for name, text := range map[string]string{
		"names":    "time,watts\n1795000000,10\n1795000001.5, 12.5\n",
		"RFC 3339": "2026-11-18T11:06:40Z,10\n2026-11-18T11:06:41.5Z,12.5\n",
		"cut":      "# a meter\n1795000000,10\n1795000001.5,12.5\n17950",
	} {
		got, err := ReadWall(strings.NewReader(text))
		if err != nil || len(got) != 2 || got[0] != (Sample{1795000000, 10}) ||
			got[1] != (Sample{1795000001.5, 12.5}) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	for want, text := range map[string]string{
		"fewer than two": "time,watts\n", "fewer than two ": "",
		"line 2":                       "1,1\nx,2\n3,3\n",
		"before that of the line abov": "5,1\n6,1\n4,1\n7,1\n",
		"no power in watts":            "1,1\n2,1\n3,-5\n4,1\n",
	} {
		if _, err := ReadWall(strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%q: got %v", want, err)
		}
	}
}

func FuzzReadWall(f *testing.F) {
	f.Add("time,watts\n1,10\n2,20\n")
	f.Add("2026-11-18T11:06:40Z,10\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := ReadWall(strings.NewReader(text))
		if err != nil {
			return
		}
		d := sampleData(1, 3)
		d.Intervals[1].Power = math.NaN()
		d.Align(samples)
	})
}

// endless is a log without an end, as a device has it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	clear(b)
	return len(b), nil
}

// TestEndlessLog: one line without an end is given up.
func TestEndlessLog(t *testing.T) {
	e := &endless{}
	if _, err := ReadWall(e); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
	if e.read > maxLog+1<<20 {
		t.Errorf("%d bytes were read", e.read)
	}
}

// TestTwoReadingsOfOneTime: a clock of whole seconds shows several readings at one time.
func TestTwoReadingsOfOneTime(t *testing.T) {
	steps := []Sample{{0, 10}, {0, 20}, {1, 20}, {1, 30}, {1, 40}, {2, 40}, {2, 50}}
	for _, c := range []struct{ begin, end, want float64 }{
		{0, 1, 20}, {0, 2, 30}, {0.5, 1.5, 30}, {1, 2, 40},
	} {
		if got := mean(steps, c.begin, c.end, 15); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v to %v: got %v, want %v", c.begin, c.end, got, c.want)
		}
	}
}

func TestMean(t *testing.T) {
	ramp := []Sample{{0, 0}, {10, 10}, {12, 10}, {40, 10}}
	for _, c := range []struct{ begin, end, want float64 }{
		{0, 10, 5}, {2, 4, 3}, {9, 12, (9.5 + 10 + 10) / 3}, {-1, 3, math.NaN()},
		{11, 13, math.NaN()}, {39, 41, math.NaN()}, {5, 5, math.NaN()},
	} {
		got := mean(ramp, c.begin, c.end, 15)
		if math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v to %v: got %v, want %v", c.begin, c.end, got, c.want)
		}
	}
}

// TestAlign: a log whose clock is off is moved to where the power follows the load; one that says
// nothing of the load is left where it is.
func TestAlign(t *testing.T) {
	for _, lag := range []float64{0, 7.5, -12} {
		d := sampleData(6, 40)
		var log strings.Builder
		var truth []float64
		for i := range d.Intervals {
			v := &d.Intervals[i]
			begin := seconds(v.At) + lag
			truth = append(truth, v.Power)
			fmt.Fprintf(&log, "%.3f,%.4f\n%.3f,%.4f\n", begin+0.001, v.Power, begin+0.999, v.Power)
			v.Power = math.NaN()
		}
		samples, err := ReadWall(strings.NewReader(log.String()))
		if err != nil {
			t.Fatal(err)
		}
		if a := d.Align(samples); a.Lag != lag || a.Filled < len(truth)-15 || a.Follows < 0.95 {
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
	a := flat.Align([]Sample{{begin - 1, 20}, {begin + 9, 20}, {begin + 19, 20}})
	if a.Lag != 0 || a.Filled == 0 {
		t.Errorf("a flat log: %+v", a)
	}
	// On a machine that is always busy chance decides which lag is best, and none is believed.
	r := rand.New(rand.NewPCG(7, 1))
	var noise []Sample
	for i := range flat.Intervals {
		v := &flat.Intervals[i]
		v.Power, v.Inputs[1] = math.NaN(), 99+r.Float64()
		noise = append(noise, Sample{seconds(v.At), 40 + 20*r.Float64()})
	}
	if a := flat.Align(noise); a.Lag != 0 || a.Follows > follows {
		t.Errorf("noise: %+v", a)
	}
}
