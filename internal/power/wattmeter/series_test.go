package wattmeter

import (
	"math"
	"testing"
)

// TestTwoReadingsOfOneTime: a clock of whole seconds shows several readings at one time.
func TestTwoReadingsOfOneTime(t *testing.T) {
	steps := []Reading{{0, 10}, {0, 20}, {1, 20}, {1, 30}, {1, 40}, {2, 40}, {2, 50}}
	for _, c := range []struct{ begin, end, want float64 }{
		{0, 1, 20}, {0, 2, 30}, {0.5, 1.5, 30}, {1, 2, 40},
	} {
		if got := Mean(steps, c.begin, c.end, 15); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v to %v: got %v, want %v", c.begin, c.end, got, c.want)
		}
	}
}

func TestMean(t *testing.T) {
	ramp := []Reading{{0, 0}, {10, 10}, {12, 10}, {40, 10}}
	for _, c := range []struct{ begin, end, want float64 }{
		{0, 10, 5}, {2, 4, 3}, {9, 12, (9.5 + 10 + 10) / 3}, {-1, 3, math.NaN()},
		{11, 13, math.NaN()}, {39, 41, math.NaN()}, {5, 5, math.NaN()},
	} {
		got := Mean(ramp, c.begin, c.end, 15)
		if math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v to %v: got %v, want %v", c.begin, c.end, got, c.want)
		}
	}
}

// TestEnergy: what is not covered has no energy.
func TestEnergy(t *testing.T) {
	gap := []Reading{{10, 5}, {20, 5}, {60, 5}, {70, 15}}
	for _, c := range []struct{ begin, end, joules, covered float64 }{
		{0, 100, 50 + 100, 20}, {10, 20, 50, 10}, {15, 65, 25 + 37.5, 10}, {30, 50, 0, 0},
		{0, 10, 0, 0}, {70, 80, 0, 0}, {20, 10, 0, 0},
	} {
		joules, covered := Energy(gap, c.begin, c.end, MostGap)
		if math.Abs(joules-c.joules) > 1e-9 || math.Abs(covered-c.covered) > 1e-9 {
			t.Errorf("%v to %v: %v J in %v s", c.begin, c.end, joules, covered)
		}
	}
	if joules, covered := Energy(nil, 0, 1, MostGap); joules != 0 || covered != 0 {
		t.Error("energy of nothing")
	}
}

func TestSteps(t *testing.T) {
	var readings []Reading // ten a second, of a meter that changes each second
	for i := range 200 {
		readings = append(readings, Reading{float64(i) / 10, 20 + 0.5*float64(i/10%3)})
	}
	if every, step := Steps(readings); math.Abs(every-1) > 1e-9 || math.Abs(step-0.5) > 1e-9 {
		t.Errorf("another power each %v s, by %v W", every, step)
	}
	if every, step := Steps(readings[:15]); every != 0 || step != 0 {
		t.Errorf("of one change: %v s, %v W", every, step)
	}
}
