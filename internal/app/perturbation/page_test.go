package perturbation

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/bench"
	"github.com/ebb-energy/ebb/internal/render/chart"
)

// TestCalmPage: the page has figures of known values only; the command's name is escaped.
func TestCalmPage(t *testing.T) {
	c := Search{Settings: Settings{Runs: 2, Epoch: 500 * time.Millisecond},
		argv: []string{"./<b>program"}}
	row := func(period int) Row {
		return Row{PeriodMS: period, RateHz: rateOf(period),
			Time: bench.Interval{Estimate: 0.02, Lo: 0.01, Hi: 0.03, N: 2}}
	}
	known := row(8)
	known.Energy = bench.Interval{Estimate: 0.1, N: 1}
	known.Temporal, known.Spatial, known.Calm = Correlation{R: 0.9, SE: 0.01,
		Known: true}, Correlation{R: 0.99, SE: 0.01, Known: true}, true
	known.observed, known.reference = []Run{{{1e9, 2e9}, {2e9, 3e9}}},
		[]Run{{{1e9, 1e9}}}
	for name, tc := range map[string]struct {
		rows    []Row
		figures int
		has     []string
	}{
		"no frequencies": {[]Row{row(1), row(2)}, 1, []string{"2 ms", ">time</text>"}},
		"all there is": {[]Row{row(4), known, row(16)}, 6,
			[]string{">energy</text>", "sampled every 8 ms", "1GHz to 1.25GHz",
				"1GHz to 1.5GHz", "threshold"}},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := c.WriteHTML(&b, tc.rows); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(b.String(), "<svg"); n != tc.figures ||
				strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "<b>") {
				t.Errorf("%d figures, want %d:\n%s", n, tc.figures, b.String())
			}
			for _, want := range tc.has {
				if !strings.Contains(b.String(), want) {
					t.Errorf("no %q", want)
				}
			}
		})
	}
}

// TestPageWithoutJoules: where energy is CPU time the page has no two bars that say the same.
func TestPageWithoutJoules(t *testing.T) {
	run := oneRun{facts: facts{onlyTime: true, sources: []string{"cpu-time"},
		shares: map[string][]footprint{kinds[0]: {{unit: "a", energy: 0.6, time: 0.6}}}}}
	row := Row{runs: []oneRun{run, run}}
	figures := row.footprints()
	if len(figures) != 1 || row.power() != "" {
		t.Fatalf("%d figures, energy by %q", len(figures), row.power())
	}
	text := chart.FigureHTML(figures[0])
	if s := string(text); !strings.Contains(s, "Most CPU time") || strings.Contains(s, "energy") {
		t.Error(s)
	}
}
