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
	highest power.Features // of the same work at the highest frequency, predicted
	ns      float64
}

func (s *stretch) add(metered float64, q *Quantum, ns float64) {
	s.metered += metered
	s.x.Add(&q.Used)
	s.highest.Add(&q.Highest)
	s.ns += ns
}

// fade makes what is in s count less.
func (s *stretch) fade(keep float64) {
	s.metered *= keep
	s.x.Scale(keep)
	s.highest.Scale(keep)
	s.ns *= keep
}

// pair is a probe at the highest frequency, and the time below it around the probe. The program
// does much the same on both sides, and the die is as warm.
type pair struct{ top, low stretch }

// observation is what a pair shows: the model's miss of the energy at the highest frequency against
// that below, ln of metered over modelled at the top less below; and what might explain the miss.
type observation struct {
	miss    float64
	saved   float64 // ln of the energies, top over below, by the model
	lowMiss float64 // ln of metered over modelled, below
}

func (p *pair) observe(fit *power.Fit) (o observation, ok bool) {
	top, low := fit.Energy(&p.top.x), fit.Energy(&p.low.x)
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
	// nearby is the time constant with which time below the highest frequency counts less the
	// earlier it was.
	nearby = float64(60 * time.Millisecond)
	// leastSide is the least time at either side of a pair: meters show their energy about every
	// millisecond, some of them with as much delay.
	leastSide = float64(30 * time.Millisecond)
	// afterwards is the time after a probe that is compared with it.
	afterwards = float64(60 * time.Millisecond)
	// maxPairs bounds the pairs that are kept: an hour's at one in four seconds.
	maxPairs = 1024
)

// pairs collects pairs.
type pairs struct {
	done   []pair
	recent stretch // below the highest frequency, faded
	open   pair    // its top is being filled, or its time afterwards
	after  float64 // ns since the probe; negative: no probe is open
	inside bool    // a probe is open, and time afterwards has not begun
}

// add enters a quantum with what it used by the meter, 0 when that is unknown. Probing says that it
// was asked for to compare.
func (p *pairs) add(q *Quantum, metered float64, probing bool) {
	ns := float64(q.End - q.Start)
	switch {
	case metered <= 0:
		p.recent, p.inside, p.after = stretch{}, false, -1
	case !q.Steady || !q.Busy: // the clock changed within, or it says nothing of the program
	case probing && q.AtHighest:
		if !p.inside {
			p.open, p.inside, p.after = pair{low: p.recent}, true, -1
		}
		p.open.top.add(metered, q, ns)
	case !q.AtHighest:
		p.below(q, metered, ns)
	}
}

// below enters a quantum below the highest frequency.
func (p *pairs) below(q *Quantum, metered, ns float64) {
	if p.inside {
		p.inside, p.after = false, 0
	}
	if p.after >= 0 {
		p.open.low.add(metered, q, ns)
		if p.after += ns; p.after >= afterwards {
			p.keep()
		}
	}
	p.recent.fade(math.Exp(-ns / nearby))
	p.recent.add(metered, q, ns)
}

// keep takes the open pair, if its sides are long enough.
func (p *pairs) keep() {
	p.after = -1
	if p.open.top.ns < leastSide || p.open.low.ns < leastSide || len(p.done) >= maxPairs {
		return
	}
	p.done = append(p.done, p.open)
}
