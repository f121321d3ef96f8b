package governor

import (
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// request is the newest request for a frequency, and its outcome.
type request struct {
	asked    units.Frequency // 0 before the first
	answered units.Instant   // when the machine reported it done; 0 before
	unmet    bool            // it was refused or capped: it is made again with the next decision
}

// applied takes an Applied event.
func (r *request) applied(ev *Event) {
	r.unmet = ev.Refusal != "" || ev.Frequency < r.asked
	if r.answered == 0 {
		r.answered = ev.At
	}
}

// ask requests a frequency if it differs from the previous request, or if that one was not met.
// Insist repeats a request that the machine took and did not heed.
func (g *Governor) ask(f units.Frequency, insist bool) {
	r := &g.request
	switch {
	case g.ended:
	case f != r.asked || r.unmet:
		if f != r.asked {
			r.asked, r.answered = f, 0
		}
		g.out = append(g.out, Action{Kind: SetFrequency, Frequency: f})
	case insist:
		g.out = append(g.out, Action{Kind: Insist, Frequency: f, By: neighbour(g.cfg.States, f)})
	}
}

// neighbour is a state beside f: the higher one, which costs no time, where there is one.
func neighbour(states []units.Frequency, f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, f)
	if i++; i >= len(states) {
		i = max(len(states)-2, 0)
	}
	return states[i]
}
