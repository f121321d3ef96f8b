package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// errNoNetwork: a profile has no energy of a network card.
var errNoNetwork = errors.New("no energy of the network")

// AddNetwork gives each row the sum of the processor's energy and the network card's (e-Surgeon,
// equation 3), and sorts the rows by it. The card's is modelled, whatever the processor's is.
func (p *Profile) AddNetwork(rows []Row) error {
	switch {
	case p.Network == nil:
		return fmt.Errorf("%w: the run did not count bytes (ebb run --network --methods does)",
			errNoNetwork)
	case !p.Joules():
		return fmt.Errorf("%w to add to the processor's, which is not known: the run has CPU time",
			errNoNetwork)
	case p.Network.Card == "":
		return fmt.Errorf("%w: %s", errNoNetwork, p.Network.Note)
	}
	of := p.sumOf()
	for i := range rows {
		r := &rows[i]
		sum := int64(units.Energy(r.Energy).Plus(units.Energy(r.Network.EnergyNJ)))
		r.Sum, r.SumOf = &sum, of
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(*b.Sum, *a.Sum) })
	return nil
}

// sumOf returns where the parts of a sum come from: the processor's energy and the card's.
func (p *Profile) sumOf() string {
	source := "unknown"
	if len(p.Zones) > 0 {
		source = p.Zones[0].Source
	}
	return source + " + modelled"
}

// sumNote returns a sentence on what the sums are.
func (p *Profile) sumNote(rows []Row) string {
	var own, card units.Energy
	for i := range rows {
		own = own.Plus(units.Energy(rows[i].Energy))
		card = card.Plus(units.Energy(rows[i].Network.EnergyNJ))
	}
	return fmt.Sprintf("sum: %v of processor and memory, %s, and %v of the network card, modelled "+
		"and not measured (%s)", own, p.Zones[0].Source, card, p.Network.Card)
}
