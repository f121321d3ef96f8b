package governor_test

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
)

func TestCalibrate(t *testing.T) {
	for _, tc := range []struct {
		settle, quantum time.Duration
		holdOff         int
	}{
		{-1, 5 * time.Millisecond, 1},
		{0, 5 * time.Millisecond, 1},
		{2 * time.Microsecond, 5 * time.Millisecond, 1},
		{524 * time.Microsecond, 5 * time.Millisecond, 1},
		{1378 * time.Microsecond, 7 * time.Millisecond, 1},
		{5150 * time.Microsecond, 26 * time.Millisecond, 1},
		{10 * time.Millisecond, 30 * time.Millisecond, 2},
		{time.Second, 30 * time.Millisecond, 167},
	} {
		q, h := governor.Calibrate(tc.settle)
		if q != tc.quantum || h != tc.holdOff {
			t.Errorf("%v: quantum %v, hold-off %d; want %v, %d", tc.settle, q, h, tc.quantum,
				tc.holdOff)
		}
		if time.Duration(h)*q < 5*tc.settle {
			t.Errorf("%v: a decision rules for %v only", tc.settle, time.Duration(h)*q)
		}
	}
}
