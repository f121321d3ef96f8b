package accuracy

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// few makes a directory with the tables of a few programs.
func few(t *testing.T, programs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		files, err := filepath.Glob(filepath.Join(traces, p+".*.csv.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tables of %s: %v", p, err)
		}
		for _, f := range files {
			abs, err := filepath.Abs(f)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(abs, filepath.Join(dir, filepath.Base(f))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestHoldOut(t *testing.T) {
	dir := few(t, "single", "sunflow", "flip", "rt_alloc")
	hs, err := HoldOut(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	again, err := HoldOut(dir, 2)
	if err != nil || shown(hs) != shown(again) {
		t.Errorf("two runs differ: %v", err)
	}
	res, err := Measure(dir, Models(), holdoutPairs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, model := range []string{"wake", "wake, real counters"} {
		h := &hs[i]
		if len(h.Ways) != 4 || len(h.Constants) == 0 {
			t.Fatalf("%s: %d ways, %d constants", h.Estimator, len(h.Ways), len(h.Constants))
		}
		for p := range h.Pairs {
			if mean, worst := res.Sets[0].Mean(p,
				res.index(model)); math.Abs(mean-h.Ways[0].Mean[0][p]) > 1e-9 ||
				math.Abs(worst-h.Ways[0].Worst[0][p]) > 1e-9 {
				t.Errorf("%s, %v: shipped %v (%v), measured without holding out %v (%v)", model,
					h.Pairs[p], h.Ways[0].Mean[0][p], h.Ways[0].Worst[0][p], mean, worst)
			}
		}
		cost := func(w *Held) (sum float64) {
			for _, m := range w.Mean[0] {
				sum += m
			}
			return sum
		}
		for _, c := range h.Constants {
			// The shipped value and none are among those it could choose.
			all := cost(&c.Ways[1])
			if all > cost(&h.Ways[0])+1e-9 || all > cost(&c.Ways[0])+1e-9 {
				t.Errorf(
					"%s, %s: chosen from all programs is worse than as shipped, or than nothing",
					model, c.Name,
				)
			}
			n := 0
			for _, k := range c.Times {
				n += k
			}
			if n != 4 {
				t.Errorf("%s, %s: chosen %d times of 4", model, c.Name, n)
			}
		}
	}
	var text strings.Builder
	if err := HoldoutText(&text, hs); err != nil || strings.Contains(text.String(), "NaN") ||
		!strings.Contains(text.String(), "even stores alone: shipped 0.5") {
		t.Errorf("%v\n%s", err, &text)
	}
}

// shown is the text of holdouts, to compare them.
func shown(hs []Holdout) string {
	var b strings.Builder
	if err := HoldoutText(&b, hs); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestShippedConstantsCanBeChosen: the search can choose every shipped constant.
func TestShippedConstantsCanBeChosen(t *testing.T) {
	c := shipped()
	for i, k := range constants {
		if c[i] <= 0 || !slices.IsSorted(k.values[1:]) {
			t.Errorf("%s: value %d of %v is shipped", k.name, c[i], k.values)
		}
	}
	if m, d := c.latencies(), (choice{}).latencies(); *m == *d {
		t.Error("all rules off is what is shipped")
	}
}
