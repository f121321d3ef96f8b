package export

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/internal/energy/profile"
)

// TestOrderOfThePage: which units have the most and how sure that is comes first, then the verdict,
// the rows, the flame graph and what happened over time; what the run was comes after that. Each
// link of the head leads to a part.
func TestOrderOfThePage(t *testing.T) {
	p := sample(t)
	p.Rules = []string{energy.Equal, energy.Oblivious}
	p.Counts = &profile.Counts{List: []profile.CountedCalls{{Name: "f", Calls: 1}}}
	p.Timeline = []profile.Point{{DurNS: 1e9, Watts: 5, FreqHz: 4e9},
		{AtNS: 1e9, DurNS: 1e9, FreqHz: 2e9}}
	run := wholeRun()
	run.Footprints = Footprints(p, nil, 0)
	var b bytes.Buffer
	if err := HTML(&b, run, p, rows(t, p), 0); err != nil {
		t.Fatal(err)
	}
	text, at := b.String(), 0
	for _, part := range []string{"<h1>", "<nav>", `<p class="lead">`, `id="verdict"`,
		`id="better"`, `id="warnings"`, `id="rows"`, `<tr class="once">`, `id="flame"`,
		"Power over time", "Frequency over time", "The threads&#39; time", `id="counts"`,
		"Most energy, by class", `id="over"`, `id="run"`, `id="savings"`, `id="energies"`} {
		n := strings.Index(text[at:], part)
		if n < 0 {
			t.Fatalf("no %s after byte %d of\n%s", part, at, text)
		}
		at += n
	}
	links := regexp.MustCompile(`<a href="#([^"]*)">`).FindAllStringSubmatch(text, -1)
	if len(links) < 7 {
		t.Errorf("%d links", len(links))
	}
	for _, l := range links {
		if n := strings.Count(text, `id="`+l[1]+`"`); n != 1 {
			t.Errorf("%d parts %s", n, l[1])
		}
	}
}

func rowsOf(samples ...int) (rows []profile.Row) {
	for i, n := range samples {
		rows = append(rows, profile.Row{Unit: fmt.Sprint("u", i), Samples: n, Share: 0.01,
			Energy: 2e9, TimeNS: 1e6})
	}
	return rows
}

// TestWithoutOnce: several rows of one sample each become one with their sum, and no other row
// changes.
func TestWithoutOnce(t *testing.T) {
	p := sample(t)
	for _, tc := range []struct {
		view    string
		samples []int
		left    int
		unit    string
	}{
		{"method", nil, 0, ""},
		{"method", []int{3, 2, 0}, 3, ""},
		{"method", []int{3, 1, 0}, 3, ""},
		{"method", []int{3, 1, 1, 0, 1}, 2, "3 functions with one sample each"},
		{"process", []int{1, 1}, 0, "2 processes with one sample each"},
		{"method@frequency", []int{1, 1, 5}, 1, "2 rows with one sample each"},
	} {
		before := rowsOf(tc.samples...)
		rest, once := withoutOnce(p, tc.view, before)
		if len(rest) != tc.left || !reflect.DeepEqual(before, rowsOf(tc.samples...)) {
			t.Errorf("%v: %+v is left of %+v", tc.samples, rest, before)
		}
		if once == nil {
			once = &onceLine{}
		}
		if once.Unit != tc.unit {
			t.Errorf("%v: %q, want %q", tc.samples, once.Unit, tc.unit)
		}
		if n := len(before) - len(rest); n > 0 && (once.Samples != n || len(once.Names) != n ||
			once.Share != fmt.Sprintf("%d.0 %%", n) || once.Unnamed != 0) {
			t.Errorf("%v: %+v", tc.samples, once)
		}
	}
	many := make([]int, maxOnceNames+7)
	for i := range many {
		many[i] = 1
	}
	if _, once := withoutOnce(p, "method", rowsOf(many...)); len(once.Names) != maxOnceNames ||
		once.Unnamed != 7 || once.Samples != len(many) {
		t.Errorf("%+v", once)
	}
}

// TestLead: the first sentences name what has the most, say how sure that is, and which run would
// show more.
func TestLead(t *testing.T) {
	row := func(unit string, rank int, share, low, high float64) profile.Row {
		return profile.Row{Unit: unit, Rank: rank, Share: share, Low: low, High: high}
	}
	for name, tc := range map[string]struct {
		rate int
		rows []profile.Row
		want []string
	}{
		"nothing": {99, nil, nil},
		"apart": {99, []profile.Row{row("a", 1, .5, .4, .6), row("b", 2, .2, .1, .3),
			row("c", 3, .005, .004, .006)}, []string{
			"a has 50.0 % of the energy (40.0 to 60.0), b 20.0 % (10.0 to 30.0).",
			"In brackets are 95 % intervals by 12 samples.",
			"The first one is ahead: its interval lies apart from the others."}},
		"close": {99, []profile.Row{row("a", 1, .5, .4, .6), row("b", 1, .4, .3, .5)}, []string{
			"a has 50.0 % of the energy (40.0 to 60.0), b 40.0 % (30.0 to 50.0).",
			"In brackets are 95 % intervals by 12 samples.",
			"Which of the first two is ahead is open; a run 4 times as long, or as many times " +
				"the --rate, would show it."}},
		"equal": {99, []profile.Row{row("a", 1, .5, .4, .6), row("b", 1, .5, .4, .6)}, []string{
			"a has 50.0 % of the energy (40.0 to 60.0), b 50.0 % (40.0 to 60.0).",
			"In brackets are 95 % intervals by 12 samples.",
			"The first two have about the same."}},
		"exact": {0, []profile.Row{row("<t>", 1, 1, 1, 1)}, []string{
			"<t> has 100.0 % of the energy.", "Times of threads are exact."}},
	} {
		p := sample(t)
		p.RateHz = tc.rate
		if got := lead(p, tc.rows); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
