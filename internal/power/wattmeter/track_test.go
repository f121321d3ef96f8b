package wattmeter

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTrackAgainstAll: what a track says of a time is what all readings say, gaps and readings of
// one time included.
func TestTrackAgainstAll(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 7))
		track := NewTrack(64)
		from := 100 + 50*rng.Float64()
		track.Keep(from, from+10)
		var all []Reading
		at := 90 * rng.Float64()
		for range 5000 {
			r := Reading{At: at, Power: 100 * rng.Float64()}
			all = append(all, r)
			track.Add(r)
			track.Add(Reading{At: at - 1, Power: 1e6}) // no reading goes back
			switch rng.IntN(100) {
			case 0:
				at += 40
			case 1: // the same time again
			default:
				at += rng.Float64()
			}
		}
		if n := len(track.Newest()); n > 64 || n < 32 {
			t.Fatalf("%d readings are kept", n)
		}
		begin, end := from+10*rng.Float64(), track.Newest()[0].At+rng.Float64()*30
		got := track.Until(end).Less(track.Until(begin))
		want := Total(all, begin, end)
		if math.Abs(got.Joules-want.Joules) > 1e-6 || math.Abs(got.Covered-want.Covered) > 1e-6 ||
			got.Readings != want.Readings {
			t.Errorf("seed %d, %v to %v: %+v, want %+v", seed, begin, end, got, want)
		}
	}
	if s := NewTrack(4).Until(1); s != (Sum{}) || !math.IsNaN(s.Mean()) {
		t.Errorf("of nothing: %+v", s)
	}
}

// TestTrackOfMonths: after 90 days the energy is 90 times a day's, and memory is that of an hour.
func TestTrackOfMonths(t *testing.T) {
	const day, step = 86400.0, 1.0
	track := NewTrack(1 << 14)
	track.Keep(5, 20)
	power := func(at float64) float64 { return 100 + 50*math.Sin(2*math.Pi*at/day) }
	next := 0
	for at := 0.0; at < 90*day+60; at += step {
		track.Add(Reading{At: at, Power: power(at)})
		if at < float64(next+1)*day+30 {
			continue
		}
		next++
		got := track.Until(10 + float64(next)*day).Less(track.Until(10))
		if want := float64(next) * 100 * day; math.Abs(got.Joules/want-1) > 1e-6 ||
			math.Abs(got.Covered-float64(next)*day) > 1e-3 {
			t.Fatalf("after %d days: %+v, want %v J", next, got, want)
		}
	}
	if n := cap(track.readings) + cap(track.began.readings); n > 1<<15 || next != 90 {
		t.Errorf("room for %d readings after %d days", n, next)
	}
}
