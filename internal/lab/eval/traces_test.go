package eval

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/predictor/accuracy"
)

// TestEmbeddedErrorsAreThoseOfToday: the embedded errors are those that the predictor has on the
// recorded tables now.
func TestEmbeddedErrorsAreThoseOfToday(t *testing.T) {
	pairs := []accuracy.Pair{{From: 1 * ghz, To: 4 * ghz}, {From: 4 * ghz, To: 1 * ghz}}
	r, err := accuracy.Measure("../../../predictor/testdata/traces", accuracy.Models(), pairs,
		map[string][]epochs.TID{"rt_alloc": {4, 5}})
	if err != nil {
		t.Fatal(err)
	}
	round := func(v float64) float64 { return math.Round(v*100) / 100 }
	var want []traceError
	for _, set := range r.Sets {
		if set.Name == "later" {
			continue // not in the figure
		}
		for j, m := range r.Models {
			for i, p := range pairs {
				mean, worst := set.Mean(i, j)
				if math.IsNaN(mean) {
					continue // not measured at both frequencies
				}
				want = append(want, traceError{set.Name, m.Name, int(p.From / ghz), int(p.To / ghz),
					round(mean), round(worst)})
			}
		}
	}
	if devtest.Updating() {
		text, err := json.MarshalIndent(want, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		devtest.WriteGolden(t, "traces.json", append(text, '\n'))
		tracesJSON = text
	}
	var got []traceError
	if err := json.Unmarshal(tracesJSON, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d errors embedded, %d measured; run with -update", len(got), len(want))
	}
	for i := range want {
		same := got[i].Set == want[i].Set && got[i].Model == want[i].Model &&
			got[i].From == want[i].From && got[i].To == want[i].To
		if !same || math.Abs(got[i].Mean-want[i].Mean) > 0.02 ||
			math.Abs(got[i].Worst-want[i].Worst) > 0.02 {
			t.Errorf("embedded %+v, measured %+v; run with -update", got[i], want[i])
		}
	}
}
