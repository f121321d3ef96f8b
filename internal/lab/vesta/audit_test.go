package vesta

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// TestAudit: on a machine that is a line, bills that are true are not doubted, and one that is a
// fifth too high is; a program that draws what no input shows has a true bill that is doubted.
func TestAudit(t *testing.T) {
	table := linear(0.5, 7, 40)
	odd := len(table.Programs) - 1
	for r, p := range table.Program {
		if p == odd {
			table.Power[r] *= 1.5
		}
	}
	calls := 0
	all, err := Audit(t.Context(), table, powermodel.Ridge.Name, func(done, of int) {
		if done != calls || of != 7 {
			t.Errorf("%d of %d after %d", done, of, calls)
		}
		calls++
	})
	if err != nil || len(all) != 7 {
		t.Fatal(err, len(all))
	}
	for i, a := range all {
		if a.Intervals != 40 || !(a.Low < a.Estimate && a.Estimate < a.High) ||
			math.Abs(a.Shown-(a.High/a.Measured-1)) > 1e-12 {
			t.Errorf("%+v", a)
		}
		if i == odd {
			if !a.Doubted() || a.Shown >= 0 {
				t.Errorf("the odd one: %+v", a)
			}
			continue
		}
		if a.Doubted() || math.Abs(a.Estimate/a.Measured-1) > 0.1 {
			t.Errorf("%+v", a)
		}
	}
	plainTable := linear(0.5, 7, 40)
	plain, err := Audit(t.Context(), plainTable, powermodel.Ridge.Name, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range plain {
		if a.Doubted() || a.Shown > 0.2 {
			t.Errorf("without an odd one: %+v", a)
		}
	}
	if _, err := Audit(t.Context(), linear(0.5, 4, 40), powermodel.Ridge.Name,
		func(int, int) {}); !errors.Is(err, errNoInterval) {
		t.Errorf("four programs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Audit(ctx, table, powermodel.Ridge.Name,
		func(int, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := Audit(t.Context(), table, "none", func(int, int) {}); err == nil {
		t.Error("an unknown learner was accepted")
	}
}
