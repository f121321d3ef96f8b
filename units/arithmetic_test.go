package units

import (
	"math"
	"testing"
	"time"
)

func TestPower(t *testing.T) {
	for _, tc := range []struct {
		p    Power
		d    time.Duration
		want Energy
	}{
		{1, time.Nanosecond, 1},                          // 1 W for 1 ns is 1 nJ
		{15, time.Second, 15_000_000_000},                // 15 J
		{0.4, time.Nanosecond, 0},                        // to the nearest
		{0.6, time.Nanosecond, 1},                        //
		{-2, time.Second, -2_000_000_000},                // a difference of powers
		{500, 213 * 24 * time.Hour, 9_201_600_000e9},     // 213 days at 500 W
		{500, 214 * 24 * time.Hour, math.MaxInt64},       // the day after is beyond the range
		{-500, 1000 * 24 * time.Hour, math.MinInt64},     //
		{Power(math.Inf(1)), time.Second, math.MaxInt64}, //
		{Power(math.NaN()), time.Second, 0},              //
		{Power(math.Inf(1)), 0, 0},                       // not a number
		{15, 0, 0},
	} {
		if got := tc.p.For(tc.d); got != tc.want {
			t.Errorf("%v for %v: %d nJ, want %d", tc.p, tc.d, got, tc.want)
		}
	}
}

func TestOver(t *testing.T) {
	for _, tc := range []struct {
		e    Energy
		d    time.Duration
		want Power
	}{
		{15_000_000_000, time.Second, 15},
		{20, 2 * time.Nanosecond, 10},
		{-20, 2 * time.Nanosecond, -10},
		{20, 0, 0},
		{20, -time.Second, 0},
	} {
		if got := tc.e.Over(tc.d); got != tc.want {
			t.Errorf("%v over %v: %v, want %v", tc.e, tc.d, got, tc.want)
		}
	}
}

func TestPlus(t *testing.T) {
	for _, tc := range []struct{ a, b, want Energy }{
		{1, 2, 3}, {1, -2, -1}, {math.MaxInt64, 1, math.MaxInt64},
		{math.MaxInt64, -1, math.MaxInt64 - 1},
		{math.MinInt64, -1, math.MinInt64}, {math.MinInt64, math.MinInt64, math.MinInt64},
		{math.MinInt64, math.MaxInt64, -1},
	} {
		if a, b := tc.a.Plus(tc.b), tc.b.Plus(tc.a); a != tc.want || b != tc.want {
			t.Errorf("%d + %d = %d, the other way round %d, want %d", tc.a, tc.b, a, b, tc.want)
		}
	}
}

func TestInstant(t *testing.T) {
	a := Instant(5_000_000)
	b := a.Add(3 * time.Millisecond)
	if b != 8_000_000 || b.Sub(a) != 3*time.Millisecond || a.Sub(b) != -3*time.Millisecond {
		t.Errorf("a %d, b %d, b-a %v", a, b, b.Sub(a))
	}
}
