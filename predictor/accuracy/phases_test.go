package accuracy

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// TestCoopNeedsPhases: COOP has an error where a program has phases of a collector and none where
// it would be M+CRIT, and no mean beside models that have all programs.
func TestCoopNeedsPhases(t *testing.T) {
	var models []Model
	for _, m := range Models() {
		if m.Name == "wake" || m.Name == "coop" || m.Name == "m+crit" {
			models = append(models, m)
		}
	}
	r, err := Measure("../testdata/traces", models, Pairs()[:1],
		map[string][]epochs.TID{"rt_alloc": {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for i := range r.Sets {
		s := &r.Sets[i]
		for j, m := range models {
			mean, worst := s.Mean(0, j)
			if m.Name != "coop" {
				if !known(mean) || !known(worst) {
					t.Errorf("%s: %s has no mean", s.Name, m.Name)
				}
				continue
			}
			if known(mean) || known(worst) {
				t.Errorf("%s: coop has a mean, %v, of fewer programs", s.Name, mean)
			}
			for k, e := range s.Errors[0][j] {
				if has := !math.IsNaN(e); has != (s.Workloads[k] == "rt_alloc") {
					t.Errorf("%s, %s: coop has an error: %t", s.Name, s.Workloads[k], has)
				} else if has {
					with++
				}
			}
		}
	}
	if with == 0 {
		t.Error("no program has phases")
	}
}
