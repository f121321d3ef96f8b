package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/internal/tolerance"
	"github.com/ebb-energy/ebb/units"
)

const ghz units.Frequency = 1_000_000_000

func testPlan() *Plan {
	return &Plan{
		Version: "v1", Machine: Testbed{Kernel: "6.4", CPU: "a CPU", CPUs: 4,
			Actuator: "setspeed"}, Command: []string{"./program", "-n", "3"},
		WarmUp: 1, Seed: 7, Source: Modelled, Settings: Settings([]units.Frequency{1 * ghz, 2 * ghz,
			4 * ghz}, "schedutil", []units.Slowdown{0.05, 0.10}, true),
	}
}

func TestSettings(t *testing.T) {
	p := testPlan()
	if err := p.validate(); err != nil {
		t.Fatal(err)
	}
	want := "4GHz, 2GHz, 1GHz, as found (schedutil), ebb 5%, ebb 10%, ebb system-energy"
	if got := names(p.Settings); got != want {
		t.Errorf("settings %s, want %s", got, want)
	}
	if p.highest().Frequency != 4*ghz ||
		!slices.Equal(p.States(), []units.Frequency{1 * ghz, 2 * ghz, 4 * ghz}) {
		t.Errorf("highest %v, states %v", p.highest(), p.States())
	}
}

func TestImpossiblePlans(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"nothing":   func(p *Plan) { p.Settings = nil },
		"no static": func(p *Plan) { p.Settings = p.Settings[3:] },
		"a budget twice": func(p *Plan) {
			p.Settings = append(p.Settings,
				Setting{Kind: Slowdown, Slowdown: 0.05})
		},
		"higher than first": func(p *Plan) {
			p.Settings = append(p.Settings,
				Setting{Kind: Static, Frequency: 5 * ghz})
		},
	} {
		p := testPlan()
		change(p)
		if p.validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestOrderDependsOnTheSeedAlone: each round runs every setting once, rounds differ, and the seed
// alone decides.
func TestOrderDependsOnTheSeedAlone(t *testing.T) {
	p := testPlan()
	first := map[int]int{}
	same := 0
	for round := 1; round <= 700; round++ {
		order := p.order(round)
		if !slices.Equal(order, testPlan().order(round)) {
			t.Fatal("the same seed gives another order")
		}
		if slices.Equal(order, p.order(round+1)) {
			same++
		}
		first[order[0]]++
		sorted := slices.Sorted(slices.Values(order))
		if !slices.Equal(sorted, sequence(len(p.Settings))) {
			t.Fatalf("round %d runs %v", round, order)
		}
	}
	if same > 2 {
		t.Errorf("%d of 700 rounds have the order of the round before", same)
	}
	least, most := tolerance.Count(700, 1/float64(len(p.Settings)), 1e-5)
	for i := range p.Settings {
		if first[i] < least || first[i] > most {
			t.Errorf("%s is the first of %d rounds of 700", p.Settings[i], first[i])
		}
	}
	other := testPlan()
	other.Seed++
	if slices.Equal(p.order(1), other.order(1)) && slices.Equal(p.order(2), other.order(2)) {
		t.Error("another seed gives the same order")
	}
}

// TestDiffersNamesThePart: every part of a plan is compared, and named.
func TestDiffersNamesThePart(t *testing.T) {
	if why := testPlan().differs(testPlan()); why != "" {
		t.Errorf("a plan differs from itself: %s", why)
	}
	for word, change := range map[string]func(*Plan){
		"command":  func(p *Plan) { p.Command = []string{"./program", "-n 3"} },
		"workload": func(p *Plan) { p.Workload = "xalan" },
		"machine":  func(p *Plan) { p.Machine.CPUs++ },
		"settings": func(p *Plan) { p.Settings = p.Settings[:5] },
		"warm-up":  func(p *Plan) { p.WarmUp = 0 },
		"seed":     func(p *Plan) { p.Seed = 8 },
		"energy":   func(p *Plan) { p.Source = Measured },
		"options":  func(p *Plan) { p.Options = []string{"--pause 1s"} },
		"version":  func(p *Plan) { p.Version = "v2" },
	} {
		p := testPlan()
		change(p)
		if why := testPlan().differs(p); !strings.Contains(why, word) {
			t.Errorf("another %s: %q", word, why)
		}
	}
}
