package saving

import "time"

const (
	// probeTime is the metered time of a probe at the steady highest frequency.
	probeTime = float64(40 * time.Millisecond)
	// maxProbe is the most quanta of a probe: with more, the clock does not follow.
	maxProbe = 12
	// probeShare is the largest part of the time that probes take while all of one is metered. With
	// longer quanta less is, because the clock takes one to rise, and they take less of the time.
	probeShare = 0.125
	// costlyShare is that of the first ones where probes are costly, and lateShare of later ones. A
	// probe costs the savings of its time. A slowdown budget gets that back, as the time that a
	// probe gains is spent elsewhere; the least energy does not.
	costlyShare = 0.08
	lateShare   = 0.005
	// firstProbes are made one in soonGap, later ones one in lateGap.
	firstProbes = 6
	soonGap     = float64(400 * time.Millisecond)
	lateGap     = float64(4 * time.Second)
)

// probe decides when the program runs at the highest frequency for a while, only to see what it
// draws there.
type probe struct {
	made  int
	below float64 // ns below the highest frequency since the last one, with the meter read
	left  float64 // ns of the one in progress that are still to be metered; 0 outside of one
	// quanta and long, ns, are the length so far of the one in progress, or of the last.
	quanta  int
	long    float64
	quantum float64 // ns, the last one
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
	if p.left <= 0 && p.below >= b.gap() {
		p.left, p.below, p.quanta, p.long = probeTime, 0, 0, 0
		p.made++
	}
	return p.left > 0
}

// gap is the time below the highest frequency from one probe to the next.
func (b *Book) gap() float64 {
	gap, share := soonGap, probeShare
	if b.Costly {
		share = costlyShare
	}
	if b.probe.made >= firstProbes {
		gap = lateGap
		if b.Costly {
			share = lateShare
		}
	}
	// The clock rises in a probe's first quantum, and the last ends after the probe's time.
	long := max(b.probe.long, probeTime+2*b.probe.quantum)
	return max(gap, long*long/(probeTime*share))
}
