package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// measured makes samples of a machine whose settings truly differ as here, from the highest
// frequency.
func measured(p *Plan, rounds int, noise float64) []Sample {
	r := rand.New(rand.NewPCG(11, 0))
	slow := map[string]float64{
		"static:4GHz": 0, "static:2GHz": 0.04, "static:1GHz": 0.3, "default": 0.01, "ebb:5%": 0.045,
		"ebb:10%": 0.045, "ebb:system-energy": 0.2,
	}
	energy := map[string]float64{
		"static:4GHz": 0, "static:2GHz": -0.12, "static:1GHz": -0.3, "default": -0.02,
		"ebb:5%": -0.15, "ebb:10%": -0.12, "ebb:system-energy": -0.33,
	}
	var all []Sample
	for round := 1; round <= rounds; round++ {
		drift := 0.2 * r.NormFloat64()
		for i, s := range p.Settings {
			x := Sample{Round: round, Setting: i}
			x.Source = Measured
			x.Wall = time.Duration(2e9 * (1 + slow[s.id()]) * math.Exp(drift+noise*r.NormFloat64()))
			e := 50e9 * (1 + energy[s.id()]) * math.Exp(drift+noise*r.NormFloat64())
			x.Zones = []Zone{{Memory, units.Energy(x.Wall) * 3 / 2}, {Processor, units.Energy(e)}}
			all = append(all, x)
		}
	}
	return all
}

// results are all kinds of outcome.
func results() map[string]*Result {
	p := testPlan()
	p.Source = Measured
	noEnergy := measured(p, 3, 0.01)
	for i := range noEnergy {
		noEnergy[i].Source, noEnergy[i].Zones = Unknown, nil
	}
	modelled := measured(p, 5, 0.003)
	for i := range modelled {
		modelled[i].Source = Modelled
		if p.Settings[modelled[i].Setting].Kind == Default {
			modelled[i].Source, modelled[i].Zones = Unknown, nil
		}
		if modelled[i].Setting == 1 && modelled[i].Round < 3 {
			modelled[i].Trouble = "policy0 capped: asked for 2000000 kHz, found 1500000 kHz"
		}
		modelled[i].Wall /= 10
	}
	other := testPlan()
	unmetered := testPlan()
	unmetered.Source = Reference
	reference := measured(p, 5, 0.003)
	for i := range reference {
		reference[i].Source = Reference
		if p.Settings[reference[i].Setting].Kind == Default {
			reference[i].Source, reference[i].Zones = Unknown, nil
		}
	}
	all := measured(p, 5, 0.003)
	return map[string]*Result{
		"clear":       Analyse(p, all, 5),
		"noisy":       Analyse(p, measured(p, 5, 0.1), 5),
		"one-round":   Analyse(p, measured(p, 1, 0.003), 1),
		"interrupted": Analyse(p, all[:24], 5),
		"nothing":     Analyse(p, all[:3], 5),
		"no-energy":   Analyse(p, noEnergy, 3),
		"modelled":    Analyse(other, modelled, 5),
		"reference":   Analyse(unmetered, reference, 5),
	}
}

func TestText(t *testing.T) {
	for name, r := range results() {
		var b bytes.Buffer
		if err := r.writeText(&b, printable.All); err != nil {
			t.Fatal(err)
		}
		devtest.Golden(t, filepath.Join("testdata", name+".txt"), b.Bytes())
	}
}

// TestLeftOutOfTheDrawing: the page says beyond which slowdown settings are left out, and every one
// that it names is.
func TestLeftOutOfTheDrawing(t *testing.T) {
	left := 0
	for name, r := range results() {
		for i := range r.Rows {
			if r.Rows[i].Setting.Frequency == 1e9 {
				r.Rows[i].Slowdown = Interval{Estimate: 5, Lo: 5, Hi: 5, N: 3}
			}
		}
		var page bytes.Buffer
		if err := r.writeHTML(&page); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, rest, said := strings.Cut(page.String(),
			"<p>Not in the drawing, as beyond a slowdown of ")
		if said != (r.beyond() != "") {
			t.Errorf("%s: left out %q, said: %t", name, r.beyond(), said)
		}
		if !said {
			continue
		}
		left++
		var reach float64
		if _, err := fmt.Sscanf(rest, "%f %%:", &reach); err != nil {
			t.Errorf("%s: %.60q: %v", name, rest, err)
		}
		for i := range r.Rows {
			if row := &r.Rows[i]; row.HasEnergy && row.Setting.Kind == Static &&
				math.Abs(100*row.Slowdown.Estimate-reach) > 0.6 &&
				(100*row.Slowdown.Estimate > reach) !=
					strings.Contains(r.beyond(), row.Setting.Frequency.String()) {
				t.Errorf("%s: %s at %v with a reach of %v %%; left out: %s", name, row.Name,
					row.Slowdown.Estimate, reach, r.beyond())
			}
		}
	}
	if left == 0 {
		t.Error("no result leaves anything out: the test shows nothing")
	}
}

// TestPageAndJSONAreWhole: whatever came out, both can be read and have no trace of a number that
// is none.
func TestPageAndJSONAreWhole(t *testing.T) {
	for name, r := range results() {
		var page, data bytes.Buffer
		if err := r.writeHTML(&page); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := r.writeJSON(&data); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "ZgotmplZ", "<no value>"} {
			if strings.Contains(page.String(), bad) {
				t.Errorf("%s: %q in the page", name, bad)
			}
		}
		if !strings.HasSuffix(strings.TrimSpace(page.String()), "</html>") ||
			strings.Contains(page.String(), "src=") || strings.Contains(page.String(), "href=") {
			t.Errorf("%s: the page is cut, or needs something else", name)
		}
		var back map[string]any
		if err := json.Unmarshal(data.Bytes(), &back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, list := range []string{"settings", "static_optimal", "comparisons", "notes",
			"runs"} {
			if _, ok := back[list].([]any); !ok {
				t.Errorf("%s: %s is %v in the JSON, no list", name, list, back[list])
			}
		}
		if runs, _ := back["runs"].([]any); len(runs) != len(r.Samples) {
			t.Errorf("%s: %d runs in the JSON, want %d", name, len(runs), len(r.Samples))
		}
		if (r.Rounds > 0 && r.Rows[0].HasEnergy) != strings.Contains(page.String(), "<svg") {
			t.Errorf("%s: a drawing where there is nothing to draw, or none", name)
		}
	}
}

// TestAnalysis checks the figures that a reader would take away.
func TestAnalysis(t *testing.T) {
	all := results()
	r := all["clear"]
	rows := map[string]*Row{}
	for i := range r.Rows {
		rows[r.Rows[i].Name] = &r.Rows[i]
	}
	if v := rows["ebb 5%"].Verdict; v != kept {
		t.Errorf("4.5 %% of 5 %%: %s", v)
	}
	if i := rows["1GHz"].Slowdown; i.Lo > 0.3 || i.Hi < 0.3 || i.Hi-i.Lo > 0.05 {
		t.Errorf("30 %% slower: %+v", i)
	}
	if base := rows["4GHz"]; base.Slowdown.Estimate != 0 || base.ProcessorEnergy.Estimate != 0 {
		t.Errorf("the highest frequency against itself: %+v", base)
	}
	if o := r.Optima[0]; o.Frequency != 2*ghz || len(o.Possible) != 1 || o.OddHz != 2e9 ||
		o.EvenHz != 2e9 || !o.HeldOut {
		t.Errorf("the optimum within 5 %%: %+v", o)
	}
	if o := r.Optima[2]; o.Budget != nil || o.Frequency != 1*ghz {
		t.Errorf("the optimum without a budget: %+v", o)
	}
	verdict := func(r *Result, of, with string) string {
		for _, v := range r.Against {
			if v.Of == of && v.With == with {
				return v.Verdict
			}
		}
		t.Fatalf("%s is not compared with %s", of, with)
		return ""
	}
	if s := verdict(r, "ebb 5%", "static-optimal 5%"); !strings.Contains(s,
		"processor energy: 3.") || !strings.Contains(s, "less") {
		t.Errorf("3 %% less: %s", s)
	}
	// ebb at 10 % does what the best static does: that must not look like a difference, nor any
	// difference where noise is large.
	if s := verdict(r, "ebb 10%", "static-optimal 10%"); !strings.Contains(s,
		"processor energy: no difference that 5 runs can show") {
		t.Errorf("no difference: %s", s)
	}
	if s := verdict(all["noisy"], "ebb 5%", "static-optimal 5%"); !strings.Contains(s,
		"processor energy: no difference that 5 runs can show") {
		t.Errorf("3 %% under noise of 10 %%: %s", s)
	}
	if got := all["interrupted"]; got.Rounds != 3 || got.Asked != 5 || len(got.Samples) != 24 {
		t.Errorf("interrupted: %d rounds of %d, %d runs", got.Rounds, got.Asked, len(got.Samples))
	}
}

func TestJudge(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		i    Interval
		want Verdict
	}{
		{Interval{0.04, 0.03, 0.05, 5}, kept}, {Interval{0.05, 0.03, 0.051, 5}, unsettled},
		{Interval{0.06, 0.0501, 0.07, 5}, broken},
		{Interval{0.06, 0.05, 0.07, 5}, unsettled}, {Interval{0.01, nan, nan, 1}, unsettled},
		{Interval{}, unsettled},
	} {
		if got := judge(tc.i, 0.05); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.i, got, tc.want)
		}
	}
}

func TestNeighboursAreDrawnTogether(t *testing.T) {
	c := Choice{Frequency: 3 * ghz}
	for f := 8 * ghz; f > 0; f -= ghz {
		c.states = append(c.states, f)
	}
	for _, tc := range []struct {
		possible []units.Frequency
		want     string
	}{
		{nil, ""}, {[]units.Frequency{3 * ghz}, ""}, {[]units.Frequency{4 * ghz, 3 * ghz}, "4GHz"},
		{[]units.Frequency{5 * ghz, 4 * ghz, 3 * ghz, 2 * ghz}, "5GHz, 4GHz, 2GHz"},
		{[]units.Frequency{8 * ghz, 6 * ghz, 5 * ghz, 4 * ghz, 3 * ghz, 2 * ghz, 1 * ghz},
			"8GHz, 6GHz to 4GHz, 2GHz, 1GHz"},
	} {
		c.Possible = tc.possible
		if got := c.others(); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.possible, got, tc.want)
		}
	}
}

func TestDigitsAreWorthTheirInterval(t *testing.T) {
	nan := math.NaN()
	for _, tc := range []struct {
		i          Interval
		want, size string
	}{
		{Interval{-0.1234, -0.15, -0.1, 5}, "-12.3 % (-15.0 to -10.0 %)", "12.3 %"},
		{Interval{-0.00012, -0.0004, 0.0001, 5}, "-0.01 % (-0.04 to +0.01 %)", "0.01 %"},
		{Interval{-0.00012, -0.00013, -0.00011, 5}, "-0.012 % (-0.013 to -0.011 %)", "0.012 %"},
		{Interval{-0.0001, -0.01, 0.0099, 5}, "+0.0 % (-1.0 to +1.0 %)", "0.0 %"},
		{Interval{0, 0, 0, 5}, "+0.0 % (+0.0 to +0.0 %)", "0.0 %"},
		{Interval{0.05, nan, nan, 1}, "+5.0 %", "5.0 %"},
	} {
		if got := figure(tc.i); got != tc.want || tc.i.size() != tc.size {
			t.Errorf("%+v: %q and %q, want %q and %q", tc.i, got, tc.i.size(), tc.want, tc.size)
		}
	}
}

// TestSourcesOfARow: each source of a row's energies stands there once.
func TestSourcesOfARow(t *testing.T) {
	var table [][]*Sample
	for _, s := range []Source{Measured, Unknown, Measured, Unknown} {
		table = append(table, []*Sample{{Measurement: Measurement{Wall: time.Second, Source: s}}})
	}
	if row := newRow(Setting{}, 0, table); row.Source != Measured+", "+Unknown || row.HasEnergy {
		t.Errorf("%q, energy known: %v", row.Source, row.HasEnergy)
	}
}
