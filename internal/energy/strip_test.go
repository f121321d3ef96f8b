package energy

import (
	"testing"
	"time"
)

// TestStripOfMonths: 90 days in points of equal width, however many windows they had, with nothing
// left out.
func TestStripOfMonths(t *testing.T) {
	const day, window = 24 * time.Hour, 500 * time.Millisecond
	s := Strip[time.Duration]{Most: 1024, Join: func(a, b time.Duration) time.Duration {
		return a + b
	}}
	for all := time.Duration(0); all < 90*day; all += window {
		s.Add(window)
		if len(s.Points) > s.Most || cap(s.Points) > 2*s.Most {
			t.Fatalf("%d points", len(s.Points))
		}
	}
	var sum time.Duration
	for i, p := range s.Points {
		sum += p
		if i+1 < len(s.Points) && p != s.Points[0] {
			t.Fatalf("point %d is %v wide, the first one %v", i, p, s.Points[0])
		}
	}
	if sum != 90*day || len(s.Points) < s.Most/2 || s.Points[len(s.Points)-1] > s.Points[0] {
		t.Errorf("%d points of %v", len(s.Points), sum)
	}
}
