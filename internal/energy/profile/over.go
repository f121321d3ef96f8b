package profile

import (
	"slices"

	"github.com/ebb-energy/ebb/internal/energy"
)

// OverAttributes reports whether the energy was divided by both rules of OverAttribution.
func (p *Profile) OverAttributes() bool {
	return slices.Contains(p.Rules, energy.Equal) && slices.Contains(p.Rules, energy.Oblivious)
}

// OverAttribution returns the energy by rule energy.Oblivious over that by energy.Equal, as in
// Chappie's Table 2, whose measure is Chappie's own attribution. It returns 0 if that is not known.
func (p *Profile) OverAttribution(byRule []int64) float64 {
	i, j := slices.Index(p.Rules, energy.Equal), slices.Index(p.Rules, energy.Oblivious)
	if i < 0 || j < 0 || byRule[i] <= 0 {
		return 0
	}
	return float64(byRule[j]) / float64(byRule[i])
}
