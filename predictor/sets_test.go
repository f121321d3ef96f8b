package predictor

import (
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/hpc"
)

// TestEverySetHasAnEstimator: whatever set of counters a processor of the table can give, some
// estimator uses the stalls in it.
func TestEverySetHasAnEstimator(t *testing.T) {
	for _, f := range hpc.Families() {
		for _, set := range hpc.Sets([]hpc.Family{f}) {
			p, err := New(Config{}, set.Counters)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Config().Estimator; slices.Contains(set.Counters,
				hpc.StallLo) == (got == "none") {
				t.Errorf("%s: estimator %q for %v", f.Key, got, set.Counters)
			}
		}
	}
}
