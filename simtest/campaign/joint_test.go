package campaign

import (
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/devtest"
)

const (
	// leastShare is the share of the joint oracle's saving that ebb reaches over many cases, and
	// fewCases the number below which chance decides.
	leastShare, fewCases = 0.8, 100
	// aheadByChance is the difference from the best run found that chance makes.
	aheadByChance = 0.01
	// leastSaving is what there is to save in the mean of any cases.
	leastSaving = 0.03
)

// TestBesideTheOracle: within the same budgets ebb saves less than the joint oracle, and over many
// cases no small share of that.
func TestBesideTheOracle(t *testing.T) {
	n, length := 2, 3*time.Second
	if *tenantRuns > 24 {
		n, length = *tenantRuns, 20*time.Second
	}
	first, last, _ := cases(n)
	oracle, rule, ebb := 0.0, 0.0, 0.0
	for s := first; s <= last; s++ {
		c, err := Compare(s, length)
		if err != nil {
			t.Fatal(err)
		}
		saved := func(e float64) float64 { return 1 - e/float64(c.Highest) }
		o, r, e := saved(float64(c.Oracle)), saved(float64(c.Rule)), saved(float64(c.Ebb))
		t.Logf("seed %d, %s, %d tenants on %d domains: oracle %.4f, highest wish %.4f, ebb %.4f",
			s, c.Profile, c.Tenants, c.Domains, o, r, e)
		if e > o+aheadByChance && c.Over <= 0 {
			t.Errorf("seed %d: ebb saves %.4f, the oracle %.4f\n  %s", s, e, o,
				devtest.SeedCommand(t.Name(), s))
		}
		oracle, rule, ebb = oracle+o, rule+r, ebb+e
	}
	t.Logf("%d cases: ebb %.3f of what the oracle saves, the highest wish %.3f", last-first+1,
		ebb/oracle, rule/oracle)
	if last-first >= fewCases && ebb < leastShare*oracle {
		t.Errorf("ebb saves %.3f of what the oracle does", ebb/oracle)
	}
	if oracle < leastSaving*float64(last-first+1) {
		t.Errorf("the oracle saves %.4f in the mean", oracle/float64(last-first+1))
	}
}
