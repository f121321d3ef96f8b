package printable

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 999: "999 ns", 1000: "1 µs", 2300 * time.Microsecond: "2.3 ms",
		60 * time.Millisecond: "60 ms", 999_400 * time.Microsecond: "999 ms",
		999_700 * time.Microsecond: "1 s", 3043 * time.Millisecond: "3.04 s",
		18_244 * time.Millisecond: "18.2 s", 59_900 * time.Millisecond: "59.9 s",
		59_960 * time.Millisecond: "1 min", 78_100 * time.Millisecond: "1 min 18 s",
		time.Hour: "1 h", time.Hour - 20*time.Second: "1 h", 90 * time.Minute: "1 h 30 min",
		30 * time.Hour: "30 h", -60 * time.Millisecond: "-60 ms",
		9_994 * time.Microsecond: "9.99 ms", 9_996 * time.Microsecond: "10 ms",
	} {
		if got := Duration(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	for _, d := range []time.Duration{math.MinInt64, math.MaxInt64} {
		if Duration(d) == "" {
			t.Error(d)
		}
	}
}

func TestGiven(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 10 * time.Second: "10s", 10 * time.Minute: "10m", 8760 * time.Hour: "8760h",
		90 * time.Second: "1m30s", 5 * time.Millisecond: "5ms", time.Hour + time.Minute: "1h1m",
		time.Hour + time.Second: "1h0m1s", -time.Minute: "-1m",
	} {
		got := Given(d)
		if back, err := time.ParseDuration(got); got != want || back != d {
			t.Errorf("%v: %q, want %q; it is read as %v, %v", d, got, want, back, err)
		}
	}
}
