package baseline

import (
	"math"
	"testing"
	"time"
)

// TestPELT: half the utilisation is reached after one half-life, by definition, and left behind
// after another.
func TestPELT(t *testing.T) {
	var p pelt
	period := time.Duration(peltPeriod * 1024) // 1.048576 ms
	p.run(32*period, 1)
	if u := p.util(); math.Abs(u-512) > 12 { // the current period's weight makes it a little more
		t.Errorf("after 32 periods: %v", u)
	}
	half := p.util()
	p.idle(32 * period)
	if u := p.util(); math.Abs(u-half/2) > 1e-6 {
		t.Errorf("32 idle periods later: %v of %v", u, half)
	}
	p = pelt{}
	p.run(time.Second, 1)
	if u := p.util(); math.Abs(u-1024) > 1e-3 {
		t.Errorf("always running: %v", u)
	}
}

// TestPELTAgainstSum: any split of running and idle time gives what the definition does, summed
// period by period.
func TestPELTAgainstSum(t *testing.T) {
	var p pelt
	var ran []bool // of each unit of 1024 ns
	for i := range 400 {
		n := 1 + i*i%977
		if i%3 == 0 {
			p.idle(time.Duration(n) * 1024)
		} else {
			p.run(time.Duration(n)*1024, 1)
		}
		for range n {
			ran = append(ran, i%3 != 0)
		}
	}
	current := len(ran) / peltPeriod
	sum := 0.0
	for i, r := range ran {
		if r {
			sum += math.Pow(peltDecay, float64(current-i/peltPeriod))
		}
	}
	want := 1024 * sum / (peltMax - peltPeriod + float64(len(ran)%peltPeriod))
	if got := p.util(); math.Abs(got-want) > 1e-6 {
		t.Errorf("utilisation %v, summed by definition %v", got, want)
	}
}

// TestPELTInvariance: the same work at half the speed, filling the period that was half idle, makes
// the same utilisation in the long run; a core that never idles reaches the full one at any speed.
func TestPELTInvariance(t *testing.T) {
	var fast, slow, full pelt
	period := 10 * time.Millisecond
	for range 100 {
		fast.run(4*time.Millisecond, 1)
		fast.idle(period - 4*time.Millisecond)
		slow.run(8*time.Millisecond, 0.5)
		slow.idle(period - 8*time.Millisecond)
		full.run(5*period, 0.25)
	}
	if a, b := fast.util(), slow.util(); math.Abs(a-b) > 1e-6*a {
		t.Errorf("utilisation %v at full speed, %v at half", a, b)
	}
	if u := full.util(); u < 1020 {
		t.Errorf("busy all the time at a quarter of the speed: %v", u)
	}
}
