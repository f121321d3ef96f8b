package policy

import (
	"time"
)

// proof is the saving of lower states, judged afterwards. The policy chooses a state by the
// forecast; the quantum that came decides whether it saved energy. And a disturbed program does not
// run on as it would have: its threads take their work in another order, which alone changes its
// energy. On a processor where lower states save hardly anything, choices that each seemed right
// can cost energy in sum. So a state is taken only while choices like it have clearly saved.
//
// The choice is judged even where the highest state was taken in its place: so it can prove right
// again.
type proof struct {
	choice int     // index of the state chosen last
	any    bool    // there is a choice to judge
	judged float64 // time of the judged quanta at the highest state, ns
	// saved and cost are energies, nJ: saved by the choices of lower states, and the cost of their
	// quanta at the highest. The past is forgotten as in the forecast.
	saved, cost float64
}

// clearSaving is the saving, as a share of the energy at the highest state, that is worth being
// disturbed for.
const clearSaving = 0.02

// unprovedSaving is in its place until quanta of provedAfter in sum have been judged. With 0.1 a
// machine on which lower states are worth little would be no safer (simulated, seeds 101 to 150 and
// 201 to 216), because its forecasts are lower still; and a short program that could save some 7 %
// would save 6.7 instead of 7.2 %. The price: spending begins before the bias of predictions is
// known, and the simulated pipeline overspends by 0.15 points of 10 more.
const (
	unprovedSaving = 0.05
	provedAfter    = float64(50 * time.Millisecond)
)

// judge enters the quantum that came after a choice: its shape and its time at the highest state.
// The past counts less, by the factor keep.
func (p *proof) judge(now *shape, longest, keep float64) {
	n := len(now.Metered) - 1
	if !p.any || p.choice == n {
		return
	}
	p.judged += longest
	p.saved = float64(p.saved*keep) + float64((now.Metered[n]-now.Metered[p.choice])*longest)
	p.cost = float64(p.cost*keep) + float64(now.Metered[n]*longest)
}

// allows notes the choice for the coming shape, and reports whether it may be taken.
func (p *proof) allows(coming *shape, choice int) bool {
	n := len(coming.Metered) - 1
	p.choice, p.any = choice, true
	switch {
	case choice == n:
		return true
	case p.judged < provedAfter:
		highest := coming.Metered[n]
		return highest-coming.Metered[choice] >= unprovedSaving*highest
	}
	return p.saved >= clearSaving*p.cost
}
