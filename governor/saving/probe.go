package saving

import (
	"math"
	"time"
)

const (
	// probeTime is the metered time of a probe at the steady highest frequency.
	probeTime = float64(40 * time.Millisecond)
	// maxProbe is the most quanta of a probe: with more, the clock does not follow.
	maxProbe = 12
	// probeShare is the largest part of the time that probes take while all of one is metered. With
	// longer quanta less of one is metered, because the clock takes a quantum to rise, and probes
	// take less of the time.
	probeShare = 0.125
	// Where probes are costly, costlyShare is in its place for the first probes, and lateShare for
	// later ones. A probe costs the savings of its time. A slowdown budget gets that back, as the
	// time that a probe gains is spent elsewhere; the least energy does not.
	costlyShare = 0.08
	lateShare   = 0.005
	// A run that ends before firstProbe below the highest frequency has none: it could not make up
	// for what a probe costs. firstProbes then follow as the share allows, all time so far counted,
	// leastGap apart at least and one in soonGap at most; later ones come one in lateGap.
	firstProbe  = float64(time.Second)
	firstProbes = 6
	leastGap    = float64(300 * time.Millisecond)
	soonGap     = float64(400 * time.Millisecond)
	lateGap     = float64(4 * time.Second)
	// swing is the part of the time between probes by which they come earlier or later: a program
	// that repeats itself would otherwise show all of them the same part of its work. golden has
	// the multiples whose fractional parts fill an interval most evenly.
	swing  = 0.25
	golden = 0.618034
)

// probe decides when the program runs at the highest frequency for a while, only to see what it
// draws there.
type probe struct {
	made  int
	below float64 // metered time so far below the highest frequency, ns
	last  float64 // value of below when the last probe began
	retry float64 // value of below at which the next probe comes, whatever the gap; 0: none
	left  float64 // ns still to be metered of the probe in progress; 0 outside of one
	// quanta and long, ns, are the length so far of the one in progress, or of the last.
	quanta  int
	long    float64
	quantum float64 // length of the last quantum, ns
}

// pass enters a quantum. Follows says that its energy is known.
func (p *probe) pass(q *Quantum, follows bool) {
	ns := float64(q.End - q.Start)
	p.quantum = ns
	switch {
	case p.left > 0:
		p.long += ns
		if p.quanta++; p.quanta >= maxProbe {
			p.left = 0
		} else if follows && q.Steady && q.AtHighest {
			p.left = max(p.left-ns, 0)
		}
	case follows && q.Busy && !q.AtHighest:
		p.below += ns
	}
}

// Probe reports whether the coming quantum shall run at the highest frequency, given that a lower
// one is wanted.
func (b *Book) Probe() bool {
	p := &b.probe
	if !b.Probes {
		return false
	}
	if p.left <= 0 && p.below >= b.due() {
		p.left, p.last, p.retry, p.quanta, p.long = probeTime, p.below, 0, 0, 0
		p.made++
	}
	return p.left > 0
}

// due returns the time below the highest frequency at which the next probe comes.
func (b *Book) due() float64 {
	p := &b.probe
	if p.retry > 0 {
		return p.retry
	}
	share := probeShare
	if b.Costly {
		share = costlyShare
		if p.made >= firstProbes {
			share = lateShare
		}
	}
	// The clock rises in a probe's first quantum, and the last ends after the probe's time.
	long := max(p.long, probeTime+2*p.quantum)
	each := long * long / (probeTime * share)
	if p.made >= firstProbes {
		return p.last + p.swung(max(lateGap, each))
	}
	gap := max(soonGap, each)
	return max(firstProbe, p.last+leastGap, float64(p.made)*gap+p.swung(gap))
}

// swung returns the gap made longer or shorter by up to swing, differently after each probe.
func (p *probe) swung(gap float64) float64 {
	turn := float64(p.made) * golden
	return gap * (1 + swing*(2*(turn-math.Floor(turn))-1))
}
