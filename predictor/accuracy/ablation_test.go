package accuracy

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestAblation: with all its rules an ablation has the errors that Measure has, programs that
// motivated a rule do not count among the others, and a rule that never applies changes nothing.
func TestAblation(t *testing.T) {
	dir := few(t, "flip", "sunflow", "single")
	pairs := Pairs()[:4]
	as, err := Ablate(dir, pairs)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Measure(dir, Models(), pairs, nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for i := range as {
		a := &as[i]
		rules[a.Rule.Name] = true
		model := map[string]string{"offcore": "wake", "bracket": "wake, real counters"}[a.Estimator]
		others := 3
		for _, name := range []string{"flip", "sunflow", "single"} {
			if slices.Contains(a.Rule.Motivated, name) {
				others--
			}
		}
		if a.All.Programs != 3 || a.Others.Programs != others {
			t.Errorf("%s: %d programs, %d others", a.Rule.Name, a.All.Programs, a.Others.Programs)
		}
		for p := range pairs {
			mean, _ := res.Sets[0].Mean(p, res.index(model))
			if math.Abs(mean-a.All.With[p]) > 1e-9 {
				t.Errorf("%s, %s, %v: %v with the rule, measured %v", a.Rule.Name, a.Estimator,
					pairs[p], a.All.With[p], mean)
			}
			if a.Rule.Name == "whole meetings" && a.All.With[p] != a.All.Without[p] {
				t.Errorf("%v: flip's barriers are whole, but %v becomes %v", pairs[p],
					a.All.With[p], a.All.Without[p])
			}
		}
	}
	if len(rules) != 11 {
		t.Errorf("%d rules", len(rules))
	}
	var text strings.Builder
	if err := AblationText(&text, as); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "rule: whole meetings; others: all but pipeline") ||
		strings.Contains(text.String(), "NaN") {
		t.Errorf("text:\n%s", text.String())
	}
}
