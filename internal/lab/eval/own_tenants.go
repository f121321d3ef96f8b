package eval

import (
	"fmt"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/render/chart"
	"github.com/ebb-energy/ebb/simtest/hardware"
)

// The series of figure tenants.
const (
	seriesJoint = "joint oracle"
	seriesRule  = "highest wish"
	shareOf     = ", share of the joint oracle"
	mostOver    = "ebb, most over the budget"
)

// tenantShare is the share of the joint oracle's saving that ebb should reach, in percent.
const tenantShare = 85

// tenantCases returns cases of several tenants, one for each seed, with programs of a given length.
func (s *study) tenantCases() (specs []spec) {
	n, length := uint64(40), 20*time.Second
	if s.settings.Quick {
		n, length = 6, 10*time.Second
	}
	for i := range n {
		specs = append(specs, spec{Profile: "paper", Workload: "tenants", Several: length,
			Seed: s.settings.Seed + i})
	}
	return specs
}

// machineNames returns the names of all machines, as the rows of a figure.
func machineNames() (names []string) {
	for _, p := range hardware.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

var figureTenants = &figure{
	name: "tenants", short: "several tenants",
	title: "Several programs, a budget each",
	what: `Two to eight programs on one to eight frequency domains, each with a budget of 2 to 20 %
of its computing time. They have phases of unlike character, sleep, come and go, and some machines
lose records and refuse requests. The joint oracle knows the future, and chooses each domain's clock
for the least energy of all together with each within its budget. Highest wish is the most that ebb's
rule can save: each program knows its future and wishes for what is best for itself, and a domain
runs at the highest wish. A bar is the mean over the cases that a machine has.`,
	differs: `Not in the paper, which governs one program. The programs share nothing but the
clock. The oracles are the best of six runs, not a proof. The quick variant has six cases with
programs of 10 s, the other 40 with 20 s.`,
	needs: func(s *study) []spec { return s.tenantCases() },
	draw: func(s *study, b *sheet) []chart.Figure {
		all := map[string]map[string][]float64{} // values by series, by machine
		enter := func(series, machine string, v float64) {
			if all[series] == nil {
				all[series] = map[string][]float64{}
			}
			all[series][machine] = append(all[series][machine], v)
			all[series][Mean] = append(all[series][Mean], v)
		}
		over := 0.0
		for _, x := range s.tenantCases() {
			c := s.of(x).Several
			saved := func(e float64) float64 { return 100 * (1 - e/float64(c.Highest)) }
			enter(seriesEbb, c.Profile, saved(float64(c.Ebb)))
			enter(seriesRule, c.Profile, saved(float64(c.Rule)))
			enter(seriesJoint, c.Profile, saved(float64(c.Oracle)))
			over = max(over, 100*float64(c.Over))
		}
		machines := append(machineNames(), Mean)
		machines = slices.DeleteFunc(machines,
			func(m string) bool { return len(all[seriesEbb][m]) == 0 })
		var bars []bar
		for i, series := range []string{seriesEbb, seriesRule, seriesJoint} {
			for _, m := range machines {
				b.add(m, series, none, one(mean(all[series][m])), percent, none)
			}
			bars = append(bars, bar{column{series, none}, series, []int{1, 7, 3}[i]})
		}
		joint := mean(all[seriesJoint][Mean])
		for _, series := range []string{seriesEbb, seriesRule} {
			b.add(Mean, series+shareOf, none, one(100*mean(all[series][Mean])/joint), percent, none)
		}
		b.add(Max, mostOver, none, one(over), points, none)
		return []chart.Figure{b.bars("Processor energy saved, by machine",
			"Energy saved by machine and choice of the clock",
			chart.Axis{Label: "energy saved", Unit: percent}, machines, bars)}
	},
}

// tenantCriteria returns the criteria about several programs.
func tenantCriteria(f found) (out []Criterion) {
	own, rule := f.get("tenants", Mean, seriesEbb+shareOf, none), f.get("tenants", Mean,
		seriesRule+shareOf, none)
	if !(own > 0) {
		return nil
	}
	return append(out, Criterion{
		fmt.Sprintf("Several tenants save at least %d %% of what the joint oracle does",
			tenantShare), fmt.Sprintf("%.1f %%", own), own >= tenantShare,
		fmt.Sprintf("the highest wish can save %.1f %% of it", rule)})
}
