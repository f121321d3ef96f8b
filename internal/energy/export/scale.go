package export

import "github.com/ebb-energy/ebb/internal/energy/profile"

// scale is the unit that a run's energies are written in where a format takes whole numbers.
type scale struct {
	name  string
	per   int64 // nJ in a unit
	exact int64 // the energies so far, in nJ
	given int64 // amounts written so far, in the unit
}

// mostDigits bounds the total of a run in its unit: more digits cannot be read at a glance.
const mostDigits = 10_000_000

// scaleOf is the finest unit in which the energies by a rule have few enough digits. CPU time stays
// as it is: formats know it.
func scaleOf(p *profile.Profile, rule int) scale {
	if !p.Joules() {
		return scale{name: "ns", per: 1}
	}
	var total int64
	for i := range p.Stacks {
		total += p.Stacks[i].EnergyNJ[rule]
	}
	s := scale{name: "nJ", per: 1}
	for _, coarser := range []string{"uJ", "mJ", "J", "kJ"} {
		if total/s.per < mostDigits {
			break
		}
		s.name, s.per = coarser, s.per*1000
	}
	return s
}

// next returns an energy in the unit. The rest from rounding goes into the next one, so that the
// total is right to one.
func (s *scale) next(nj int64) int64 {
	s.exact += nj
	v := (s.exact+s.per/2)/s.per - s.given
	s.given += v
	return v
}
