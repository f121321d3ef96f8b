package accuracy

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

const traces = "../testdata/traces"

// measured has the errors of all models on the committed tables; tests only read it.
var measured = sync.OnceValues(func() (*Result, error) {
	return Measure(traces, Models(), Pairs(), map[string][]epochs.TID{"rt_alloc": {4, 5}})
})

func measure(t *testing.T) *Result {
	t.Helper()
	r, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestModelsReachTheirErrors holds the models to their measured errors: mean and worst absolute
// error in percent, by set.
func TestModelsReachTheirErrors(t *testing.T) {
	r := measure(t)
	tests := []struct {
		set, model  string
		pair        int
		mean, worst float64
	}{
		{".", "wake", 0, 3.5, 13.5},
		{".", "wake", 1, 3, 8},
		{".", "wake", 2, 1.5, 4},
		// At 3 GHz msort's threads stole work in another order than at the other clocks, from
		// all of which it is predicted 7 to 11 % too slow there.
		{".", "wake", 3, 1.4, 7.2},
		{".", "wake", 4, 1.5, 6},
		{".", "wake", 6, 1.5, 6.5},
		{".", "wake", 8, 3, 12.5},
		{"tso", "wake", 0, 3.5, 11},
		{"tso", "wake", 1, 3, 8},
		{"tso", "wake", 2, 1.5, 4},
		{"tso", "wake", 3, 1.5, 4},
		{"later", "wake", 0, 3, 5},
		{"later", "wake", 1, 5, 10},
		{"later", "wake", 2, 2, 4},
		{"later", "wake", 3, 2, 4},
		{"later", "wake, real counters", 2, 7, 13},
		{"later", "wake, real counters", 3, 2, 4},
		{".", "wake, real counters", 0, 5, 15},
		{".", "wake, real counters", 1, 5, 12},
		{".", "wake, real counters", 2, 2, 6},
		{".", "wake, real counters", 3, 1.7, 7},
	}
	for _, tt := range tests {
		i := slices.IndexFunc(r.Sets, func(s Set) bool { return s.Name == tt.set })
		mean, worst := r.Sets[i].Mean(tt.pair, r.index(tt.model))
		if !(mean <= tt.mean && worst <= tt.worst) {
			t.Errorf("%s, %s, %v: mean %.2f, worst %.1f; at most %v, %v", tt.set, tt.model,
				r.Pairs[tt.pair], mean, worst, tt.mean, tt.worst)
		}
	}
}

// TestModelsRankAsInThePaper: the models rank as the paper found, from the high frequency down. But
// with barriers and strong store bursts (flip in tso) Algorithm 1 loses to per-epoch: see the page.
func TestModelsRankAsInThePaper(t *testing.T) {
	r := measure(t)
	for i := range r.Sets {
		s := &r.Sets[i]
		mean := func(name string) float64 { m, _ := s.Mean(1, r.index(name)); return m }
		for _, worse := range [][2]string{
			{"wake", "dep+burst"}, {"dep+burst", "dep+burst per-epoch"}, {"dep+burst", "dep"},
			{"dep+burst", "m+crit"},
		} {
			if s.Name == "tso" && worse[1] == "dep+burst per-epoch" {
				continue
			}
			if !(mean(worse[0]) < mean(worse[1])) {
				t.Errorf("%s: %s %.1f is not below %s %.1f", s.Name, worse[0], mean(worse[0]),
					worse[1], mean(worse[1]))
			}
		}
	}
}

// TestBoundOfOneThread: with its own time known, nothing is left to predict of a single thread.
func TestBoundOfOneThread(t *testing.T) {
	r := measure(t)
	for i := range r.Sets {
		s := &r.Sets[i]
		k := slices.Index(s.Workloads, "single")
		if k < 0 {
			continue
		}
		for p := range r.Pairs {
			if e := s.Errors[p][len(r.Models)][k]; math.Abs(e) > 1e-6 {
				t.Errorf("%s, %v: %v", s.Name, r.Pairs[p], e)
			}
		}
	}
}

func TestPageAndText(t *testing.T) {
	r := measure(t)
	var html, text strings.Builder
	if err := r.HTML(&html); err != nil {
		t.Fatal(err)
	}
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "lockheavy", "ordinary, 1 to 4 GHz",
		"What limits each workload", "they sleep"} {
		if !strings.Contains(html.String(), want) {
			t.Errorf("page without %q", want)
		}
	}
	if strings.Contains(html.String(), "http") || strings.Contains(html.String(), "NaN") {
		t.Error("the page fetches something, or shows NaN")
	}
	for _, m := range Models() { // every term is explained
		if !strings.Contains(html.String(), `<tr><th scope="row">`+
			strings.ReplaceAll(m.Name, "+", "&#43;")+"</th>") || len(m.What) < len("M+CRIT")+6 {
			t.Errorf("the page does not say what %s is", m.Name)
		}
	}
	if n := strings.Count(html.String(), `<p class="lead">`); n != 3 {
		t.Errorf("the page begins with %d sentences", n)
	}
	if strings.Contains(html.String(), "▸") != anyBeyond(r) {
		t.Error("marks beyond the axis are not marked")
	}
	if n := strings.Count(text.String(), "\nwake "); n != len(r.Sets)*len(r.Pairs) {
		t.Errorf("%d tables in the text", n)
	}
}

// anyBeyond says whether a plotted error lies beyond the plots, to the right.
func anyBeyond(r *Result) bool {
	for i := range r.Sets {
		for p := range r.Pairs {
			for _, name := range plotted {
				if slices.Max(r.Sets[i].Errors[p][r.index(name)]) > plotRange {
					return true
				}
			}
		}
	}
	return false
}

func TestMeasureRefuses(t *testing.T) {
	if _, err := Measure(t.TempDir(), Models(), Pairs(), nil); err == nil ||
		!strings.Contains(err.Error(), "no epoch table") {
		t.Errorf("empty directory: %v", err)
	}
	if _, err := Measure(filepath.Join(t.TempDir(), "none"), Models(), Pairs(), nil); err == nil {
		t.Error("no directory: no error")
	}
}
