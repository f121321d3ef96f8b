//go:build !race

package sandbox

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestReady: a child has begun when Ready returns, or it was waited for no longer than allowed, as
// for one that has ended.
func TestReady(t *testing.T) {
	r := newRun(t)
	r.Ready(0)
	if r.ready {
		t.Error("the child was ready before it could be")
	}
	r.Ready(devtest.Hung)
	if !r.ready {
		t.Error("the child was not ready")
	}
	r.walk(1, 1, here())
	r.until(1)

	r = newRun(t)
	_ = r.child.Kill()
	before := time.Now()
	r.Ready(devtest.Hung)
	if d := time.Since(before); d >= devtest.Hung {
		t.Errorf("waited %v for a child that has ended", d)
	}
}
