package saving

import (
	"math"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

const (
	quantum = 5 * time.Millisecond
	top     = units.Frequency(4e9)
	low     = units.Frequency(2e9)
)

// machine is a program of one kind of work on a machine whose meter shows, at the highest
// frequency, some more or less than the model.
type machine struct {
	fit    power.Fit
	book   Book
	at     units.Instant
	meter  float64 // nJ
	beyond float64 // metered over modelled at the highest frequency
	asked  int     // quanta at the highest frequency for probes
	stayed int     // and because lower ones cost energy
	own    float64 // ebb's share of the energy
}

func newMachine(beyond float64) *machine {
	return &machine{fit: power.NewFit(power.Table2()), book: Book{Probes: true}, beyond: beyond,
		meter: 1e9, at: 1e9}
}

// features are those of a quantum's work, of which half scales, at f.
func (m *machine) features(f units.Frequency) power.Features {
	long := time.Duration(float64(quantum) * (0.5 + 0.5*float64(low)/float64(f)))
	return m.fit.Features(power.Activity{F: f, Dur: long, CoreBusy: long, Instructions: 1e7})
}

// run governs so many quanta, at low where nothing else is asked for. Metered says that there is a
// meter.
func (m *machine) run(quanta int, metered bool) {
	for range quanta {
		q := Quantum{Start: m.at, End: m.at.Add(quantum), Steady: true, Busy: true,
			Used: m.features(low), Highest: m.features(top), Own: m.own}
		switch {
		case m.book.Stays(&m.fit):
			q.AtHighest = true
			m.stayed++
		case m.book.Probe():
			q.AtHighest = true
			m.asked++
		}
		energy := m.fit.Energy(&q.Used)
		if q.AtHighest {
			q.Used = q.Highest
			energy = m.fit.Energy(&q.Used) * m.beyond
		}
		if m.meter += energy / (1 - m.own); metered {
			q.Meter = m.meter
		}
		m.at = q.End
		m.book.Add(&q, &m.fit)
	}
}

// TestComparisonsCorrectTheModel: what the meter shows at the highest frequency is learned, and the
// interval becomes narrow.
func TestComparisonsCorrectTheModel(t *testing.T) {
	m := newMachine(1.15)
	used, highest := m.features(low), m.features(top)
	model := m.fit.Energy(&highest) / m.fit.Energy(&used)
	m.run(2000, true) // 10 s
	e := m.book.Estimate(&m.fit)
	if !e.Metered || e.Pairs < 6 {
		t.Fatalf("%+v", e)
	}
	low := 1 - float64(m.asked)/2000 // the share of time below the highest frequency
	want := 1 + low*(model*1.15-1)
	if e.Lo > want || e.Hi < want || math.Abs(e.Ratio/want-1) > 0.05 || e.Hi-e.Lo > 0.2 {
		t.Errorf("%.3f (%.3f to %.3f), want about %.3f; the model says %.3f", e.Ratio, e.Lo, e.Hi,
			want, model)
	}
	if share := float64(m.asked) / 2000; share > 0.05 {
		t.Errorf("%.1f %% of the time went to probes", 100*share)
	}
	if m.stayed > 0 {
		t.Error("stayed although it saves energy")
	}
}

// TestShortRunsAreNotProbed: a run that ends within a second makes no comparison, as it could not
// make up for it; in three seconds there are five, and never more than a tenth of the time goes to
// them.
func TestShortRunsAreNotProbed(t *testing.T) {
	m := newMachine(1.15)
	m.run(195, true)
	if m.asked != 0 {
		t.Errorf("%d quanta of 195 went to probes", m.asked)
	}
	for n := 196; n <= 640; n++ {
		m.run(1, true)
		if share := float64(m.asked) / float64(n); share > 0.1 {
			t.Fatalf("%.1f %% of %d quanta went to probes", 100*share, n)
		}
	}
	if e := m.book.Estimate(&m.fit); e.Pairs < 5 {
		t.Errorf("%d comparisons in 3.2 s", e.Pairs)
	}
}

// TestStudent compares with a table of the distribution.
func TestStudent(t *testing.T) {
	for freedom, want := range map[float64]float64{3: 2.353, 4: 2.132, 6: 1.943, 8: 1.860,
		20: 1.725} {
		if got := student(freedom); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%v degrees of freedom: %.3f, want %.3f", freedom, got, want)
		}
	}
}

// TestLossIsEnded: where the meter shows that a lower frequency costs energy, the highest is kept,
// with short trials.
func TestLossIsEnded(t *testing.T) {
	m := newMachine(0.5)
	m.run(12000, true) // a minute
	if share := float64(m.stayed) / 12000; share < 0.85 {
		t.Errorf("kept the highest frequency for %.0f %% of the time", 100*share)
	}
}

// TestClockThatDoesNotFollow: a probe ends although its quanta are never at the highest frequency.
func TestClockThatDoesNotFollow(t *testing.T) {
	m := newMachine(1.1)
	probing := 0
	for range 2000 {
		q := Quantum{Start: m.at, End: m.at.Add(quantum), Steady: true, Busy: true,
			Used: m.features(low), Highest: m.features(top)}
		if m.book.Probe() {
			probing++
		}
		m.meter += m.fit.Energy(&q.Used)
		q.Meter, m.at = m.meter, q.End
		m.book.Add(&q, &m.fit)
	}
	if share := float64(probing) / 2000; share > 0.1 || probing == 0 {
		t.Errorf("%.1f %% of the time went to probes in vain", 100*share)
	}
}

// TestWithoutAMeter: the model alone is the estimate, nothing is probed, and the interval is as
// wide as the doubt about a processor that nobody has described.
func TestWithoutAMeter(t *testing.T) {
	m := newMachine(1)
	used, highest := m.features(low), m.features(top)
	model := m.fit.Energy(&highest) / m.fit.Energy(&used)
	m.run(2000, false)
	e := m.book.Estimate(&m.fit)
	if e.Metered || e.Pairs != 0 || m.asked != 0 || math.Abs(e.Highest/e.Used-model) > 1e-9 ||
		e.Hi-e.Lo < 0.3 {
		t.Errorf("%+v after %d probes; the model says %.3f", e, m.asked, model)
	}
	if e := (&Book{}).Estimate(&m.fit); e.Ratio != 1 || e.Lo != 1 || e.Hi != 1 {
		t.Errorf("nothing ran: %+v", e)
	}
}

// TestBookIsBounded: a day has as many segments and pairs as the bounds say, and the same result.
func TestBookIsBounded(t *testing.T) {
	m := newMachine(1.1)
	m.run(20*3600*24/10, true)
	if n := len(m.book.low.all); n > maxSegments || n < maxSegments/2 {
		t.Errorf("%d segments", n)
	}
	if n := len(m.book.pairs.done); n > maxPairs {
		t.Errorf("%d pairs", n)
	}
	if e := m.book.Estimate(&m.fit); e.Hi-e.Lo > 0.2 || !(e.Lo < e.Ratio && e.Ratio < e.Hi) {
		t.Errorf("%+v", e)
	}
}

// TestGapsEndAComparison: a quantum whose energy is not known, as between two profiled ones with a
// hold-off, makes no pair and asks for no probe.
func TestGapsEndAComparison(t *testing.T) {
	m := newMachine(1.1)
	for range 1000 {
		m.run(1, true)
		m.at = m.at.Add(quantum)
	}
	if len(m.book.pairs.done) != 0 || m.asked != 0 {
		t.Errorf("%d pairs, %d probes", len(m.book.pairs.done), m.asked)
	}
}

// TestEbbItselfIsNoSaving: what ebb used is paid for by the run and not by that at the highest
// frequency, and keeps no lower frequency from being chosen.
func TestEbbItselfIsNoSaving(t *testing.T) {
	const share = 0.04
	run := func(own float64) (Estimate, int) {
		m := newMachine(1.15)
		m.own = own
		m.run(2000, true)
		return m.book.Estimate(&m.fit), m.stayed
	}
	without, _ := run(0)
	with, stayed := run(share)
	if want := without.Ratio * (1 - share); math.Abs(with.Ratio/want-1) > 1e-9 ||
		math.Abs(with.Own-share) > 1e-9 || without.Own != 0 || stayed > 0 {
		t.Errorf("%+v, stayed for %d quanta; without ebb %+v", with, stayed, without)
	}
}

// TestHighestAllTheTime: a run that never left the highest frequency used more than one without
// ebb, by what ebb itself used.
func TestHighestAllTheTime(t *testing.T) {
	const share = 0.04
	for _, metered := range []bool{true, false} {
		m := newMachine(1.15)
		m.own = share
		for range 2000 {
			x := m.features(top)
			q := Quantum{Start: m.at, End: m.at.Add(quantum), Steady: true, Busy: true,
				Used: x, Highest: x, Own: share, AtHighest: true}
			if m.meter += m.fit.Energy(&x) / (1 - share); metered {
				q.Meter = m.meter
			}
			m.at = q.End
			m.book.Add(&q, &m.fit)
		}
		e := m.book.Estimate(&m.fit)
		if math.Abs(e.Ratio-(1-share)) > 1e-9 || !(e.Lo < e.Ratio && e.Ratio < e.Hi && e.Hi < 1) ||
			math.Abs(e.Highest/e.Used-e.Ratio) > 1e-9 {
			t.Errorf("metered %v: %+v", metered, e)
		}
	}
}

// TestVerdictFollowsThePairs: a program that comes to lose by a lower frequency, after more pairs
// than are kept have shown that it saves, is kept at the highest.
func TestVerdictFollowsThePairs(t *testing.T) {
	m := newMachine(1.15)
	for len(m.book.pairs.done) < maxPairs {
		m.run(1000, true)
	}
	if m.stayed > 0 {
		t.Fatal("stayed although it saves energy")
	}
	m.beyond = 0.3
	m.run(800*maxPairs, true) // as many pairs again
	if m.stayed == 0 {
		t.Error("the highest frequency was never kept")
	}
	if n := len(m.book.pairs.done); n > maxPairs {
		t.Errorf("%d pairs", n)
	}
}
