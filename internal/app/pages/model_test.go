package pages

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// metered is a table of programs with hostile names on a machine that draws 100 W at rest and 1 W
// for each percent of busy time.
func metered(t *testing.T) *powermodel.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 0))
	var b strings.Builder
	fmt.Fprintln(&b, "name,watts,cpu_user,contexts")
	for p := range 6 {
		for range 40 {
			busy := 10*float64(p) + 10*r.Float64()
			fmt.Fprintf(&b, "</script><b>p%d\x1b,%.3f,%.3f,%.3f\n", p, 100+busy+r.NormFloat64(),
				busy, 1000*r.Float64())
		}
	}
	table, err := powermodel.ReadCSV(strings.NewReader(b.String()), "watts", "name",
		powermodel.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func trained(t *testing.T, l powermodel.Learner) (*powermodel.Model, *powermodel.Table) {
	t.Helper()
	table := metered(t)
	m, err := powermodel.Train(table, l, powermodel.Provenance{CPUModel: "<A>", CPUs: 4})
	if err != nil {
		t.Fatal(err)
	}
	return m, table
}

func explained(t *testing.T, l powermodel.Learner) string {
	t.Helper()
	m, table := trained(t, l)
	e := Explanation{Name: "<m>", Table: "t.csv", Explained: m.ExplainTable(table),
		Ablation: []powermodel.Ablation{{Inputs: 1, LeftOut: 0.1}, {Inputs: 2, LeftOut: 0.05}}}
	var b strings.Builder
	if err := e.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Pages show what others named without becoming markup, and have the parts that they should.
func TestPages(t *testing.T) {
	m, table := trained(t, powermodel.Default)
	learned, err := powermodel.Crossvalidate(table, powermodel.Ridge, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := Validation{Model: m, Name: "<m>", Table: "t.csv", Checked: m.Check(table),
		Intervals: table, Learned: learned}
	var b strings.Builder
	if err := v.Write(&b); err != nil {
		t.Fatal(err)
	}
	for page, parts := range map[string][]string{
		b.String(): {"three ways to validate", "What intervals of left-out programs hold",
			"no prediction", "Power of the machine by interval",
			"ranges that were trained on", "&lt;A&gt;"},
		explained(t, powermodel.Default): {"Mean absolute part", "whose input is above zero",
			"Part of busy time", "One tree of", "How many inputs"},
		explained(t, powermodel.Ridge): {"Mean absolute part", "Part of busy time"},
	} {
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("no %q", part)
			}
		}
		for _, bad := range []string{"<b>p", "\x1b", "ZgotmplZ", "NaN", "http:", "https:"} {
			if strings.Contains(page, bad) {
				t.Errorf("the page has %q", bad)
			}
		}
	}
	if strings.Contains(explained(t, powermodel.Ridge), "One tree") {
		t.Error("a line has a tree")
	}
}

const click = `<script>
const point = document.querySelector('[data-key="37"]');
point.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const count = (s) => document.querySelectorAll(s).length;
const pre = document.createElement("pre"); pre.id = "seen";
pre.textContent = JSON.stringify({nodes: count("[data-node].chosen"),
  edges: count("[data-edge].chosen"), points: count("[data-key].chosen"), words: document.getElementById("chosen").textContent});
document.body.appendChild(pre);
</script>`

// A click on an interval's point marks its way through the tree, and its other points.
func TestClickShowsThePath(t *testing.T) {
	var seen struct {
		Nodes, Edges, Points int
		Words                string
	}
	devtest.SeenInBrowser(t, explained(t, powermodel.XGBoost), click, &seen)
	if seen.Nodes < 2 || seen.Edges != seen.Nodes-1 || seen.Points != 2 ||
		!strings.Contains(seen.Words, "interval 38: ") {
		t.Errorf("%+v", seen)
	}
}

// TestTrainingPage: the page of a training shows the course, the errors of both tiers, and a
// selection; hostile names stay text.
func TestTrainingPage(t *testing.T) {
	m, table := trained(t, powermodel.Ridge)
	m.Simpler, _ = trained(t, powermodel.Ridge)
	m.Tier = string(powermodel.Runtime)
	p := Training{Name: "<m>", Model: m, Table: table, Demographics: &Demographics{PerHit: 440,
		Threshold: 0.2, Joint: 0.01, Events: []EventCost{{"<b>gc", "under", 0.001, true},
			{"Throw", "over", 0.3, false}, {"rest", "rare", 0, false}},
		Programs: []ProgramCost{{"</script><b>p", 0.3, 0.001,
			[]string{"+0.20 % (-1.00 to +1.00)", "+0.10 %", "<i>an unknown part"},
			[]DrawnCost{{1, 0.1, 0, 0.3}, {3, 0.3, 0.3, 0.3}}}, {"q", 0.1, 0.001, nil, nil}}}}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"by interval", "with events of JVMs", "Events by class", "440 ns",
		"drawn at random", "&lt;b&gt;p", "(-1.00 to", "not measured"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q", part)
		}
	}
	for _, bad := range []string{"<b>", "<i>", "\x1b", "ZgotmplZ", "NaN", "http:", "https:"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}
