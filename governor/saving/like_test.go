package saving

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
)

// turns runs a program of two kinds of work in turn, each for so many quanta. One computes and
// draws more than the model says, at any clock; the other waits for memory. Durations at the
// highest frequency are predicted long times as long as they are. It returns the share that is
// saved in truth.
func (m *machine) turns(quanta, each int, dear, long float64, counted bool) float64 {
	var used, highest float64
	for i := range quanta {
		waits, by := 0.8, 1.0
		if i/each%2 == 0 {
			waits, by = 0.1, dear
		}
		at := func(ns float64, top bool) power.Features {
			f := low
			if top {
				f = 2 * low
			}
			d := time.Duration(ns)
			return m.fit.Features(power.Activity{F: f, Dur: d, CoreBusy: d,
				Instructions: 1e7 * (1 - waits)})
		}
		// of the work of one quantum at the highest frequency
		stretch := waits + 2*(1-waits)
		ns := float64(quantum) / stretch
		q := Quantum{Start: m.at, End: m.at.Add(quantum), Steady: true, Busy: true, Waits: waits,
			Doubt: 0.03, Used: at(float64(quantum), false), Highest: at(ns*long, true)}
		is := at(ns, true)
		below, above := m.fit.Energy(&q.Used)*by, m.fit.Energy(&is)*by
		if counted {
			q.Instructions = 1e7 * (1 - waits)
		}
		used, highest = used+below, highest+above
		if m.book.Probe() {
			m.asked++
			q.AtHighest, q.Used, q.Highest = true, is, is
			q.End = m.at.Add(time.Duration(ns))
			used += above - below
			below = above
		}
		m.meter += below
		q.Meter, m.at = m.meter, q.End
		m.book.Add(&q, &m.fit)
	}
	return 1 - used/highest
}

// said is the saving of an estimate without what it adds for a warmer die, which these machines do
// not have.
func (b *Book) said(e *Estimate) float64 {
	return 1 - (1+warmth*b.hotter(1, e.Ratio/(1+warmth)))/e.Ratio
}

// TestLikeIsComparedWithLike: kinds of work that alternate, of which probes show one or the other,
// scatter no comparison: the saving is right to a point, whatever is dear.
func TestLikeIsComparedWithLike(t *testing.T) {
	for _, each := range []int{7, 20, 40, 90} {
		for _, dear := range []float64{0.7, 1, 1.3} {
			m := newMachine(1)
			truth := m.turns(1600, each, dear, 1, true)
			e := m.book.Estimate(&m.fit)
			if got := m.book.said(&e); math.Abs(got-truth) > 0.01 || e.Pairs < 5 {
				t.Errorf("%d quanta each, one kind draws %.1f times as much: %.2f %% saved, said "+
					"%.2f (%d pairs)", each, dear, 100*truth, 100*got, e.Pairs)
			}
		}
	}
}

// TestTimesAreLearned: where times at the highest frequency are predicted 4 % too long or too
// short, probes show it, if instructions are counted.
func TestTimesAreLearned(t *testing.T) {
	for _, long := range []float64{1.04, 1, 0.96} {
		m := newMachine(1)
		truth := m.turns(1600, 20, 1, long, true)
		e := m.book.Estimate(&m.fit)
		late, _ := m.book.pairs.late(m.book.doubted())
		if got := m.book.said(&e); math.Abs(late+math.Log(long)) > 0.012 ||
			math.Abs(got-truth) > 0.01 {
			t.Errorf("predicted %.2f times as long: found %.4f; %.2f %% saved, said %.2f", long,
				late, 100*truth, 100*got)
		}
		m = newMachine(1)
		m.turns(1600, 20, 1, long, false)
		if late, _ := m.book.pairs.late(m.book.doubted()); late != 0 {
			t.Errorf("found %.4f without instructions", late)
		}
	}
}

// TestProbesAreNotInStep: a program with any period shows probes all parts of it.
func TestProbesAreNotInStep(t *testing.T) {
	for _, period := range []int{62, 80, 139, 160, 400, 800} {
		m := newMachine(1)
		var seen [4]int
		for i := range 60000 {
			before := m.asked
			m.run(1, true)
			if m.asked > before {
				seen[i%period*len(seen)/period]++
			}
		}
		for part, n := range seen {
			if n*len(seen)*3 < m.asked {
				t.Errorf("period of %d quanta: %d of %d quanta of probes in part %d", period, n,
					m.asked, part)
			}
		}
	}
}
