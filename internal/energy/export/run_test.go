package export

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/units"
)

// wholeRun has every value.
func wholeRun() *Run {
	return &Run{
		Name: "java", Command: "java -jar app.jar", Date: "2026-11-23T03:37:40Z",
		Host:       []string{"lab", "Xeon", "8 CPUs", "Linux 6.12"},
		ExitStatus: new(3), Answer: "worth it",
		Verdict: "worth it: 5.0 % of the energy saved (3.0 % to 7.0 %), no time lost",
		Better:  []string{"a higher budget", "a PMU"},
		Clock:   []string{"set by clamp"}, Wall: 2 * time.Second, Idle: new(0.25),
		Threads: []Part{{"running", 3 * time.Second, 1}, {"throttled", 0, 4},
			{"waiting for the world", time.Second, 7}},
		Slowdown: &Slowdown{Goal: "budget", Budget: new(0.05), ByClock: 0.023,
			ByEbb: new(0.001), Together: new(0.024)},
		Savings: []Saving{
			{Zone: "package-0", Source: "measured", Used: 95e9,
				Highest: 100e9, Low: 98e9, High: 102e9},
			{Zone: "cores", Source: "modelled", Used: 105e9,
				Highest: 100e9},
			{Zone: "psys", Source: "measured", Used: 1e9},
		},
		Power:    []string{"power by meter", "no other"},
		Records:  &Records{Lost: 1, Holes: 2, Late: 3},
		Warnings: []string{"warning: two governors"},
	}
}

// hostileRun has a name wherever a text is.
func hostileRun(name string) *Run {
	one := []string{name}
	return &Run{Name: name, Command: name, Date: name, Host: one, Answer: name,
		Verdict: name + name, Better: one, Clock: one, Threads: []Part{{Name: name, Time: 1}},
		Slowdown: &Slowdown{Goal: name}, Savings: []Saving{{Zone: name, Source: name}}, Power: one,
		Warnings: one}
}

func section(t *testing.T, r *Run) string {
	t.Helper()
	var b bytes.Buffer
	for _, part := range []string{"verdict", "run"} {
		if err := content().ExecuteTemplate(&b, part, r.section()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestRunSection compares the section of a run of which all is known with a file that was checked
// by hand.
func TestRunSection(t *testing.T) {
	devtest.Golden(t, filepath.Join("testdata", "run.html"), []byte(section(t, wholeRun())))
}

// TestRunSectionShowsWhatIsKnown: what an older report does not have is left out, not shown as
// zero.
func TestRunSectionShowsWhatIsKnown(t *testing.T) {
	if got := strings.TrimSpace(section(t, &Run{Name: "old"})); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	for name, tc := range map[string]struct {
		change      func(*Run)
		with, later string // what the page has, and what it then has not
	}{
		"verdict":   {func(r *Run) { r.Verdict = "" }, "<b>worth it</b>: 5.0", "worth it"},
		"better":    {func(r *Run) { r.Better = nil }, "<li>a PMU</li>", "a PMU"},
		"date":      {func(r *Run) { r.Date = "" }, "2026-11-23T03:37:40Z", ">date<"},
		"host":      {func(r *Run) { r.Host = nil }, "lab, Xeon, 8 CPUs", ">machine<"},
		"status":    {func(r *Run) { r.ExitStatus = nil }, "<td>3</td>", "exit status"},
		"idle":      {func(r *Run) { r.Idle = nil }, "no thread ran for 25.0 %", "no thread"},
		"threads":   {func(r *Run) { r.Threads = nil }, "3.000 s running", "<svg"},
		"budget":    {func(r *Run) { r.Slowdown.Budget = nil }, "; budget 5.0 %", "budget 5"},
		"ebb":       {func(r *Run) { r.Slowdown.ByEbb = nil }, "0.1 % by ebb", "by ebb"},
		"together":  {func(r *Run) { r.Slowdown.Together = nil }, "2.4 % together", "together;"},
		"slowdown":  {func(r *Run) { r.Slowdown = nil }, "2.3 % by the clock", "slowdown"},
		"interval":  {func(r *Run) { r.Savings[0].Low = 0 }, "3.1 % to 6.9 %", "3.1 %"},
		"savings":   {func(r *Run) { r.Savings = nil }, "<td>-5.0 %</td>", "<thead>"},
		"power":     {func(r *Run) { r.Power = nil }, "power by meter<br>no other", ">power<"},
		"records":   {func(r *Run) { r.Records = nil }, "1 record; quanta: 2 with", "holes"},
		"warnings":  {func(r *Run) { r.Warnings = nil }, "two governors", "warning"},
		"no answer": {func(r *Run) { r.Answer = "x" }, "<b>worth it</b>", "<b>"},
	} {
		r := wholeRun()
		if got := section(t, r); !strings.Contains(got, tc.with) {
			t.Errorf("%s: no %q in\n%s", name, tc.with, got)
		}
		if tc.change(r); strings.Contains(section(t, r), tc.later) {
			t.Errorf("%s: still %q in\n%s", name, tc.later, section(t, r))
		}
	}
}

// TestFrequencySteps: a program's frequencies are a point for each change, and the last holds for
// its length.
func TestFrequencySteps(t *testing.T) {
	step := func(at int, f units.Frequency) Step {
		return Step{time.Duration(at) * time.Second, time.Second, f * 1e9}
	}
	var s stairs
	steps := []Step{step(0, 4), step(1, 4), step(2, 2), step(5, 2), step(6, 3), step(7, 3)}
	for i, x := range steps {
		s.add(int64(x.At), int64(x.Dur), gigahertz(int64(x.Frequency)), i == len(steps)-1)
	}
	if !reflect.DeepEqual(s, stairs{[]float64{0, 2, 6, 8}, []float64{4, 2, 3, 3}}) {
		t.Errorf("%v", s)
	}
	if f := gigahertz(0); !math.IsNaN(f) {
		t.Errorf("an unknown frequency is drawn at %v GHz", f)
	}
}

// TestTimelineDrawsDecisions: the page shows the decisions beside the clock, and says whether they
// were set.
func TestTimelineDrawsDecisions(t *testing.T) {
	clock := []profile.Point{{AtNS: 0, DurNS: 2e9, Watts: 5, FreqHz: 4e9}}
	decided := []Step{{0, time.Second, 4e9},
		{time.Second, time.Second, 2e9}}
	for _, tc := range []struct {
		points []profile.Point
		run    Run
		names  string
		falls  bool // a line goes down
		steady string
	}{
		{nil, Run{}, "[]", false, ""},
		{clock, Run{}, "[power]", false, "The frequency as it ran was 4 GHz all the time."},
		{clock, Run{Steps: decided[:1], Shadow: true}, "[power]", false, "The frequency as it " +
			"ran and as ebb would have asked for was 4 GHz all the time."},
		{clock, Run{Steps: decided}, "[power as it ran as ebb asked for]", true, ""},
		{clock, Run{Steps: decided, Shadow: true},
			"[power as it ran as ebb would have asked for]", true, ""},
		{nil, Run{Steps: decided}, "[as ebb asked for]", true, ""},
	} {
		var names []string
		falls := false
		figures, steady := timeline(&profile.Profile{Timeline: tc.points}, &tc.run)
		if steady != tc.steady {
			t.Errorf("%q, want %q", steady, tc.steady)
		}
		for _, f := range figures {
			for _, m := range regexp.MustCompile(`<path class="s\d" d="([^"]*)"><title>([^<]*)`).
				FindAllStringSubmatch(string(f), -1) {
				names = append(names, m[2])
				falls = falls || strings.Count(m[1], "V") > 1
				if !strings.Contains(m[1], "H") {
					t.Errorf("%s is a point", m[2])
				}
			}
		}
		if fmt.Sprint(names) != tc.names || falls != tc.falls {
			t.Errorf("%v, falls: %v; want %s, %v", names, falls, tc.names, tc.falls)
		}
	}
}
