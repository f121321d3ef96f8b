package command

import (
	"bytes"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	for _, tc := range []struct {
		done, of int
		want     string
	}{
		{0, 4, "[..............................] 0 of 4 models, x"},
		{1, 3, "[##########....................] 1 of 3 models, x"},
		{5, 4, "[##############################] 5 of 4 models, x"},
		{0, 0, "[..............................] 0 of 0 models, x"},
	} {
		var out bytes.Buffer
		bar := Bar{w: &out, terminal: true}
		bar.Draw(tc.done, tc.of, "models", ", x")
		bar.Clear()
		if got := out.String(); got != tc.want+"\r\x1b[K" {
			t.Errorf("%d of %d: %q, want %q", tc.done, tc.of, got, tc.want)
		}
	}
}

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
