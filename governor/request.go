package governor

import (
	"slices"

	"github.com/ebb-energy/ebb/units"
)

// request is the newest request for a frequency, and its outcome.
type request struct {
	asked    units.Frequency // 0 before the first
	answered units.Instant   // time at which the machine reported it done; 0 before
	unmet    bool            // the request was refused or capped: the next decision repeats it

	// held is the clock that another tenant asked for, since heldFrom; 0: none above asked. Until
	// then it was heldBefore.
	held, heldBefore units.Frequency
	heldFrom         units.Instant
}

// applied takes an Applied event.
func (r *request) applied(ev *Event) {
	r.unmet = ev.Refusal != "" || ev.Frequency < r.asked
	if r.answered == 0 {
		r.answered = ev.At
	}
}

// hold takes a Held event. The request is met, and the clock settles anew.
func (r *request) hold(ev *Event) {
	if ev.At > r.heldFrom {
		r.heldBefore, r.heldFrom = r.held, ev.At
	}
	r.held, r.answered = ev.Frequency, ev.At
}

// heldAt returns the clock that another tenant held at t; 0: none above what was asked for.
func (r *request) heldAt(t units.Instant) units.Frequency {
	if t < r.heldFrom {
		return r.heldBefore
	}
	return r.held
}

// heldIn reports whether another tenant held the clock at any time since start.
func (r *request) heldIn(start units.Instant) bool {
	return r.held != 0 || r.heldFrom > start && r.heldBefore != 0
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

// neighbour returns a state beside f: the higher one, which costs no time, where there is one.
func neighbour(states []units.Frequency, f units.Frequency) units.Frequency {
	i, _ := slices.BinarySearch(states, f)
	if i++; i >= len(states) {
		i = max(len(states)-2, 0)
	}
	return states[i]
}
