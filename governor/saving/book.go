// Package saving accounts for energy: what the processor used, and what it would have used always
// at the highest frequency, without ebb.
//
// The energies are those of the model by which the policy chooses (power.Fit), so that no choice
// looks worse in the account than it did when it was made. Where a meter is read, what was used is
// the meter's, and what would have been used is the model's, corrected by pairs: short probes at
// the highest frequency, each compared with time around it in which the program did the like.
package saving

import (
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// Quantum is one quantum as the account sees it.
type Quantum struct {
	Start, End units.Instant
	// Used are the features of the program's work as it was done, Highest as predicted for the
	// highest frequency. Both are without ebb, which used the share Own of the quantum's energy.
	Used, Highest power.Features
	Own           float64
	AtHighest     bool // it ran at the highest frequency
	Steady        bool // its clock did not change
	Busy          bool // something ran
	Hole          bool // its data has holes
	// Instructions is the work done, 0 when it is not known, and Waits the share of its running
	// time at the highest frequency that no clock changes.
	Instructions, Waits float64
	// Doubt is the standard deviation of its predicted duration at the highest frequency, as a
	// share.
	Doubt float64
	// Meter is the energy counted until End, nJ; 0 when it is not known.
	Meter float64
}

// Book is the account of a run. The zero value is empty, and asks for no probes.
type Book struct {
	// Probes lets the account ask for probes; see Probe. Costly says that no budget gets back what
	// they cost.
	Probes, Costly bool

	used, highest power.Features // sums over all quanta
	top           float64        // nJ at the highest frequency, metered where it is known
	own           float64        // nJ that ebb itself used, above and below
	metered       bool           // the meter was known for a quantum at least
	low           segments
	doubt         float64 // sum of the doubts below the highest frequency, weighted by energy
	weight        float64 // sum of the weights: energies by the model, nJ

	pairs pairs
	probe probe
	stay  stay
	last  units.Instant // end of the quantum before
	meter float64       // nJ counted until that end; 0 when unknown
}

// Add enters a quantum. Fit is the model as learned so far.
func (b *Book) Add(q *Quantum, fit *power.Fit) {
	metered := 0.0
	if b.last == q.Start && b.meter > 0 && q.Meter > b.meter && !q.Hole {
		metered = (q.Meter - b.meter) * (1 - q.Own)
		b.metered = true
	}
	b.last, b.meter = q.End, q.Meter
	all := q.Used
	all.Scale(1 / (1 - q.Own))
	b.used.Add(&all)
	b.highest.Add(&q.Highest)
	s := segment{metered: metered, used: q.Used, highest: q.Highest, ns: float64(q.End - q.Start)}
	modelled := fit.Energy(&q.Used)
	if metered == 0 {
		s.unmetered = max(modelled, 0)
	}
	b.own += s.energy() * q.Own / (1 - q.Own)
	if q.AtHighest {
		b.top += s.energy()
	} else {
		b.low.add(&s)
		b.doubt += float64(modelled * q.Doubt)
		b.weight += modelled
	}
	b.pairs.add(q, metered, b.probe.left > 0)
	b.probe.pass(q, metered > 0)
	if b.stay.pass(q) {
		b.probe.retry = b.probe.below + retrial
	}
}
