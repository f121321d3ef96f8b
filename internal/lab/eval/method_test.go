package eval

import (
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
)

func TestUnknownMethodIsRefused(t *testing.T) {
	for _, tc := range []struct {
		m    Method
		says string
	}{
		{Method{}, ""}, {Method{Rule: policy.SixSteps}, ""}, {Method{Rule: policy.Even}, ""},
		{Method{Model: "coop", Estimator: "leading-loads", CTP: "per-epoch"}, ""},
		{Method{Rule: "odd"}, `unknown rule "odd"`}, {Method{Model: "odd"}, `unknown model "odd"`},
		{Method{Estimator: "odd"}, `"odd"`}, {Method{CTP: "odd"}, `"odd"`},
	} {
		s := Settings{Method: tc.m}
		err := s.Check()
		if tc.says == "" && err != nil ||
			tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%+v: %v, want %q", tc.m, err, tc.says)
		}
	}
}

// TestMethodIsForItsObjective: a rule for one objective leaves runs with the other as they are, and
// the paper's manager is never changed.
func TestMethodIsForItsObjective(t *testing.T) {
	budget := on("server", within(Ebb, 0.05))
	system := on("server", control{By: Ebb, System: true})
	printed := on("server", within(Printed, 0.05))
	for _, tc := range []struct {
		m    Method
		x    spec
		rule policy.Rule
	}{
		{Method{}, budget, policy.Priced}, {Method{}, system, policy.Priced},
		{Method{Rule: policy.Even}, budget, policy.Even},
		{Method{Rule: policy.Even}, system, policy.Priced},
		{Method{Rule: policy.SixSteps}, budget, policy.Priced},
		{Method{Rule: policy.SixSteps}, system, policy.SixSteps},
		{Method{Rule: policy.Even}, printed, policy.AsPrinted},
		{Method{}, on("server", control{By: Printed, System: true}), policy.SixSteps},
	} {
		p := tc.x.profile()
		c, o := governorConfig(tc.x, &p, tc.m)
		if c.Rule != tc.rule {
			t.Errorf("%+v, %v: rule %q, want %q", tc.m, tc.x, c.Rule, tc.rule)
		}
		if _, err := governor.New(c); err != nil {
			t.Errorf("%+v, %v: %v", tc.m, tc.x, err)
		}
		if len(o.Counters) == 0 {
			t.Errorf("%+v, %v: counts nothing", tc.m, tc.x)
		}
	}
}

// TestSixStepsDecide: with the paper's six steps the least system energy is found by another way,
// and both save some.
func TestSixStepsDecide(t *testing.T) {
	x := on("server", control{By: Ebb, System: true})
	x.Seed = DefaultSeed
	p, w := x.profile(), x.program()
	run := func(m Method) *Run {
		r, err := governed(t.Context(), x, p, w, m)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	own, paper := run(Method{}), run(Method{Rule: policy.SixSteps, Model: "dep+burst",
		Estimator: "crit"})
	top := highest(x)
	s := &study{settings: Settings{Seed: DefaultSeed + 1}}
	fastest, err := s.static(top, p, w)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Run{"ebb's own": own, "the six steps": paper} {
		if saved := r.systemSaved(fastest); saved <= 0 {
			t.Errorf("%s: saved %.2f %% of the system's energy", name, saved)
		}
	}
	if own.System == paper.System {
		t.Error("the six steps decide exactly as ebb's own policy")
	}
}
