package profile

import "github.com/ebb-energy/ebb/internal/energy"

// OwnUnit is the line of ebb's own threads. It is no part of what is attributed to the program, and
// so has no share of it.
const OwnUnit = "(ebb itself)"

// Own returns the energy of ebb's own threads beside the program, by a rule. It is a part of what
// others have. It is not known where a zone has the program alone.
func (p *Profile) Own(rule int) (e int64, known bool) {
	names := make([]string, len(p.Zones))
	for i := range p.Zones {
		names[i] = p.Zones[i].Name
	}
	for i, counted := range Counted(names) {
		z := &p.Zones[i]
		switch {
		case !counted:
		case len(z.OwnNJ) == 0 || !energy.Source(z.Source).KnowsOthers():
			return 0, false
		default:
			e += z.OwnNJ[rule]
		}
	}
	return e, len(p.Zones) > 0
}
