package command

import (
	"testing"
	"time"
)

func TestTimesToCome(t *testing.T) {
	for _, tc := range []struct {
		lo, hi time.Duration
		want   string
	}{
		{0, 0, "about 0s"}, {1400 * time.Millisecond, 1200 * time.Millisecond, "about 1s"},
		{59 * time.Second, 61 * time.Second, "59s to 1m00s"},
		{125 * time.Second, 9*time.Minute + 59*time.Second, "2m10s to 10m00s"},
		{11*time.Minute + 31*time.Second, 89 * time.Minute, "12m to 1h29m"},
		{25 * time.Hour, 25*time.Hour + time.Second, "about 25h00m"},
	} {
		if got := Between(tc.lo, tc.hi); got != tc.want {
			t.Errorf("%v to %v is written %q, want %q", tc.lo, tc.hi, got, tc.want)
		}
	}
}
