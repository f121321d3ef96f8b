package saving

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// stretch is time at one side of a pair: its energy by the meter, and its features.
type stretch struct {
	metered float64 // nJ
	x       power.Features
	highest power.Features // features of the same work at the highest frequency, predicted
	ns      float64

	instructions float64 // sum over its quanta; 0 where a quantum's are not known
	waits        float64 // Quantum.Waits of the quantum added last
}

func (s *stretch) add(metered float64, q *Quantum, ns float64) {
	s.metered += metered
	s.x.Add(&q.Used)
	s.highest.Add(&q.Highest)
	s.ns += ns
	s.instructions, s.waits = q.Instructions, q.Waits
}

// scale makes s so many times as long.
func (s *stretch) scale(by float64) {
	s.metered *= by
	s.x.Scale(by)
	s.highest.Scale(by)
	s.ns *= by
	s.instructions *= by
}

// join adds o. The instructions are added only if both are known, otherwise they are unknown.
func (s *stretch) join(o *stretch) {
	if s.ns > 0 && s.instructions == 0 || o.instructions == 0 {
		s.instructions = 0
	} else {
		s.instructions += o.instructions
	}
	s.metered += o.metered
	s.x.Add(&o.x)
	s.highest.Add(&o.highest)
	s.ns += o.ns
}

// pair is a probe at the highest frequency, and time below it around the probe in which the program
// did the like. The die is as warm on both sides.
type pair struct {
	top, low stretch
	alike    bool // both sides do the same work, so their times can be compared
}

// observation is what a pair shows: the model's miss of the energy at the highest frequency against
// that below, ln of metered over modelled at the top less below; and what might explain the miss.
type observation struct {
	miss    float64
	saved   float64 // ln of the energies, top over below, by the model
	lowMiss float64 // ln of metered over modelled, below
}

func (p *pair) observe(fit *power.Fit) (o observation, ok bool) {
	top := fit.Energy(&p.top.x)
	low := max(fit.Energy(&p.low.x), leastModelled*p.low.metered)
	highest := fit.Energy(&p.low.highest)
	if !(top > 0 && low > 0 && highest > 0 && p.top.metered > 0 && p.low.metered > 0) {
		return o, false
	}
	o.lowMiss = math.Log(p.low.metered / low)
	o.miss = math.Log(p.top.metered/top) - o.lowMiss
	o.saved = math.Log(highest / low)
	return o, true
}

const (
	// leastSide is the least time at either side of a pair: meters show their energy about every
	// millisecond, some of them with as much delay.
	leastSide = float64(30 * time.Millisecond)
	// afterwards is the time after a probe that is compared with it.
	afterwards = float64(60 * time.Millisecond)
	// maxPairs bounds the pairs that are kept, the newest: an hour's at one in four seconds.
	maxPairs = 1024
)

// pairs collects pairs.
type pairs struct {
	done   []pair    // a ring once there are maxPairs
	seen   int       // number of pairs so far, those that are kept no longer included
	recent recent    // newest quanta below the highest frequency
	tops   []stretch // the quanta of the open probe
	after  float64   // ns since the probe; negative: no probe is open
	inside bool      // a probe is open, and time afterwards has not begun
}

// add enters a quantum with what it used by the meter, 0 when that is unknown. Probing says that it
// was asked for to compare.
func (p *pairs) add(q *Quantum, metered float64, probing bool) {
	ns := float64(q.End - q.Start)
	switch {
	case metered <= 0:
		p.recent.clear()
		p.inside, p.after = false, -1
	case !q.Steady || !q.Busy: // the clock changed within the quantum, or nothing ran
		if p.inside && !probing && !q.AtHighest {
			p.inside, p.after = false, 0
		}
	case probing && q.AtHighest:
		if !p.inside {
			p.tops, p.inside, p.after = p.tops[:0], true, -1
		}
		var s stretch
		s.add(metered, q, ns)
		p.tops = append(p.tops, s)
	case !q.AtHighest:
		p.below(q, metered, ns)
	}
}

// below enters a quantum below the highest frequency.
func (p *pairs) below(q *Quantum, metered, ns float64) {
	if p.inside {
		p.inside, p.after = false, 0
	}
	var s stretch
	s.add(metered, q, ns)
	p.recent.add(&s)
	if p.after >= 0 {
		if p.after += ns; p.after >= afterwards {
			p.keep()
		}
	}
}

// keep takes the open pair, if its sides are long enough.
func (p *pairs) keep() {
	p.after = -1
	c := pair{alike: true}
	for i := range p.tops {
		low, off := p.recent.like(&p.tops[i])
		c.alike = c.alike && off <= alikeWaits && low.instructions > 0 &&
			p.tops[i].instructions > 0
		c.top.join(&p.tops[i])
		c.low.join(&low)
	}
	if c.top.ns < leastSide || c.low.ns < leastSide {
		return
	}
	if len(p.done) < maxPairs {
		p.done = append(p.done, c)
	} else {
		p.done[p.seen%maxPairs] = c // programs change
	}
	p.seen++
}
