package saving

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/predictor/power"
)

// TestWithoutStaticPower: by a model that has no static power nothing shows how long work takes.
// The estimate is one all the same.
func TestWithoutStaticPower(t *testing.T) {
	model := power.Table2()
	model.Static = 0
	m := newMachine(1)
	m.fit = power.NewFit(model)
	truth := m.turns(1600, 20, 1, 1, true)
	e := m.book.Estimate(&m.fit)
	for _, x := range []float64{e.Ratio, e.Lo, e.Hi, e.Own, e.Longer} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%+v", e)
		}
	}
	if got := m.book.said(&e); math.Abs(got-truth) > 0.02 || e.Pairs == 0 {
		t.Errorf("%.2f %% saved, said %.2f (%d pairs)", 100*truth, 100*got, e.Pairs)
	}
}

// TestUnknownInstructions: work of which some instructions are not known is compared with none.
func TestUnknownInstructions(t *testing.T) {
	known, unknown := stretch{ns: 1, instructions: 5}, stretch{ns: 1}
	for _, c := range []struct {
		of   []stretch
		want float64
	}{{[]stretch{known, known}, 10}, {[]stretch{known, unknown, known}, 0},
		{[]stretch{unknown, known}, 0}} {
		var s stretch
		for i := range c.of {
			s.join(&c.of[i])
		}
		if s.instructions != c.want {
			t.Errorf("%v: %v instructions", c.of, s.instructions)
		}
	}
}

// TestProbesWithoutSteadyTime: where the clock changes in all quanta below the highest frequency,
// a probe is compared with nothing, and is forgotten with the next one.
func TestProbesWithoutSteadyTime(t *testing.T) {
	m := newMachine(1)
	for range 20_000 {
		q := Quantum{Start: m.at, End: m.at.Add(quantum), Busy: true, Used: m.features(low),
			Highest: m.features(top)}
		if m.book.Probe() {
			m.asked++
			q.AtHighest, q.Steady, q.Used = true, true, q.Highest
		}
		m.meter += m.fit.Energy(&q.Used)
		q.Meter, m.at = m.meter, q.End
		m.book.Add(&q, &m.fit)
		if n := len(m.book.pairs.tops); n > maxProbe {
			t.Fatalf("%d quanta in a probe of %d at most, after %d", n, maxProbe, m.asked)
		}
	}
	if m.asked < 2*maxProbe || len(m.book.pairs.done) > 0 {
		t.Errorf("%d quanta of probes, %d comparisons", m.asked, len(m.book.pairs.done))
	}
}

// TestWorkForNothing: where the model takes work at a low clock for next to nothing, and the meter
// does not, the highest clock does not seem to cost a hundred times as much.
func TestWorkForNothing(t *testing.T) {
	m := newMachine(1)
	s := segment{used: m.features(low), highest: m.features(top)}
	s.metered = m.fit.Energy(&s.used)
	c := pair{low: stretch{x: s.used, metered: s.metered, highest: s.highest},
		top: stretch{x: s.highest, metered: m.fit.Energy(&s.highest)}}
	was, _, _ := s.saved(&m.fit)
	s.used.Scale(0.01)
	c.low.x.Scale(0.01)
	saved, miss, ok := s.saved(&m.fit)
	if most := math.Log(1 / leastModelled); !ok || saved-was > most+1e-9 || miss > most+1e-9 {
		t.Errorf("saved e^%.2f where it was e^%.2f, a miss of e^%.2f", saved, was, miss)
	}
	if o, ok := c.observe(&m.fit); !ok || o.saved != saved || o.lowMiss != miss {
		t.Errorf("a pair shows %+v, where the run saved e^%.2f", o, saved)
	}
}

// TestIntervalHasItsEstimate: also where the model takes the work at the highest clock for next to
// nothing.
func TestIntervalHasItsEstimate(t *testing.T) {
	m := newMachine(1)
	s := segment{used: m.features(low), highest: m.features(top)}
	s.metered = m.fit.Energy(&s.used)
	s.highest.Scale(0.01)
	b := Book{metered: true}
	b.low.add(&s)
	if e := b.Estimate(&m.fit); !(e.Lo > 0 && e.Lo <= e.Ratio && e.Ratio <= e.Hi) {
		t.Errorf("%+v", e)
	}
}
