package policy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// sheet is a processor that somebody has described: 22 W static, 10 W a core.
func sheet() power.Model {
	m := power.Table2()
	m.Name, m.Static, m.Core = "sheet", 22, 10
	return m
}

// stuck is a processor whose voltage does not follow the clock, with much power that is always on.
func stuck() power.Model {
	return power.Model{Name: "stuck", VoltsPerGHz: 0.02, VoltsAtZero: 1, Reference: 4 * ghz,
		Static: 80, Core: 8, DRAMStatic: 2}
}

func withFit(t testing.TB, s []units.Frequency, m power.Model) (*SystemEnergy, *power.Fit) {
	t.Helper()
	fit := power.NewFit(m)
	e, err := NewSystemEnergy(SystemEnergyConfig{States: s, Power: m, Fit: &fit, Sure: true})
	if err != nil {
		t.Fatal(err)
	}
	return e, &fit
}

// activity is the activity of work at f, for a quantum that took 5 ms at 4 GHz.
func activity(w work, q *Quantum, f units.Frequency) power.Activity {
	dur := w.Duration(f)
	return power.Activity{F: f, Dur: time.Duration(dur),
		CoreBusy:     time.Duration(float64(q.ThreadRun) * dur / 5e6),
		Instructions: float64(q.Instructions)}
}

// TestWithoutAMeterTheModelDecides: without a meter the state is the one of least energy by the
// model, memory and platform counted, unless it is doubtful whether that saves anything. Threads
// that wait have fewer cycles at a lower clock.
func TestWithoutAMeterTheModelDecides(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 0))
	seen, doubts := map[units.Frequency]bool{}, 0
	for run := range 500 {
		m := sheet()
		m.Platform = units.Power(rng.Float64() * 40)
		e, fit := withFit(t, steps500, m)
		w := work{Scaling: 5e6 * rng.Float64()}
		w.Fixed = 5e6 - w.Scaling
		q := busy(5 * ms)
		q.Delivered, q.ThreadRun = 4*ghz, time.Duration(1+rng.IntN(4))*q.Dur
		d := e.Decide(q, w)
		cost := func(f units.Frequency) float64 {
			x := fit.Features(activity(w, &q, f))
			return fit.Modelled(&x) + w.Duration(f)*float64(m.DRAMStatic+m.Platform)
		}
		least := d.Frequency
		for _, f := range steps500 {
			if cost(f) < cost(least)*(1-1e-6) {
				least = f
			}
		}
		if least != d.Frequency {
			top, low := fit.Features(activity(w, &q, 4*ghz)), fit.Features(activity(w, &q, least))
			apart := top.Minus(&low)
			if d.Reason != ReasonDoubt || d.Frequency != 4*ghz ||
				cost(4*ghz)-cost(least) > fit.Deviation(&apart)*1.01 {
				t.Fatalf("run %d: %v costs %v, %v %v", run, d.Frequency, cost(d.Frequency), least,
					cost(least))
			}
			doubts++
		}
		if math.Abs(d.Chosen-w.Duration(d.Frequency)) > 1 ||
			d.Reason != ReasonEnergy && d.Reason != ReasonDoubt {
			t.Fatalf("run %d: predicted %v, decided %+v", run, w.Duration(d.Frequency), d)
		}
		seen[d.Frequency] = true
	}
	if doubts == 0 || doubts > 250 {
		t.Errorf("in doubt %d times of 500", doubts)
	}
	if len(seen) < 5 {
		t.Errorf("the random cases choose among %d states only", len(seen))
	}
	e, _ := withFit(t, steps500, sheet())
	if d := e.Decide(busy(5*ms), work{Fixed: math.NaN()}); d.Frequency != 4*ghz ||
		d.Reason != ReasonHole || d.Max != 0 {
		t.Errorf("without a prediction: %+v", d)
	}
}

// TestFirst: to begin with, a processor that nobody has described runs at its highest frequency,
// one on which low frequencies cost energy nearly there, and one on which they save it between the
// ends.
func TestFirst(t *testing.T) {
	for _, tc := range []struct {
		m      power.Model
		lo, hi units.Frequency
	}{{power.Table2(), 4 * ghz, 4 * ghz}, {stuck(), 7 * ghz / 2, 4 * ghz},
		{sheet(), 3 * ghz / 2, 3 * ghz}} {
		e, _ := withFit(t, steps500, tc.m)
		if f := e.First(); f < tc.lo || f > tc.hi {
			t.Errorf("%s: begins at %v, want %v to %v", tc.m.Name, f, tc.lo, tc.hi)
		}
	}
}

// TestFrequencyStaysWhileAsleep: while the target sleeps, however long, the frequency stays.
func TestFrequencyStaysWhileAsleep(t *testing.T) {
	e, _ := withFit(t, steps500, sheet())
	asleep := Quantum{Dur: 5 * ms}
	if d := e.Decide(asleep, work{}); d.Frequency != e.First() || d.Reason != ReasonStart {
		t.Errorf("before the first work: %+v", d)
	}
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	was := e.Decide(q, work{Scaling: 1e6, Fixed: 4e6})
	for i := range 100 {
		asleep.Start = units.Instant(i+1) * units.Instant(5*ms)
		if d := e.Decide(asleep, work{}); d.Frequency != was.Frequency ||
			d.Reason != ReasonIdle {
			t.Fatalf("after %d quanta: %+v, before it %v", i, d, was.Frequency)
		}
	}
}

// metered governs the same work for so many quanta on a machine that has the energies of truth,
// with a meter read every 40 ms. It returns the energy of all quanta, that of the best state, and
// how many excursions there were in either half.
func metered(
	e *SystemEnergy, fit *power.Fit, truth power.Model, w work, q Quantum, quanta int,
) (got, best float64, excursions [2]int) {
	real := power.NewFit(truth)
	cost := func(f units.Frequency) (total, processor float64) {
		x := real.Features(activity(w, &q, f))
		return real.Modelled(&x) + w.Duration(f)*float64(truth.DRAMStatic), real.Modelled(&x)
	}
	best = math.Inf(1)
	for _, f := range e.states {
		total, _ := cost(f)
		best = min(best, total)
	}
	var window power.Features
	var sum, long float64
	f := e.First()
	for i := range quanta {
		total, processor := cost(f)
		got += total
		x := fit.Features(activity(w, &q, f))
		window.Add(&x)
		sum += processor
		if long += w.Duration(f); long >= 40e6 {
			fit.Learn(&window, units.Energy(sum), 0)
			window, sum, long = power.Features{}, 0, 0
		}
		q.Delivered = f
		d := e.Decide(q, w)
		if f = d.Frequency; d.Reason == ReasonProbe {
			excursions[i*2/quanta]++
		}
	}
	return got, best * float64(quanta), excursions
}

// TestUnknownMachineIsLearnedSoon: with a meter, a processor that nobody has described is soon
// governed well, be it as the default model has it or one on which each lower frequency costs
// energy. Excursions are few, and become fewer.
func TestUnknownMachineIsLearnedSoon(t *testing.T) {
	for _, truth := range []power.Model{sheet(), stuck(), power.Table2()} {
		for _, w := range []work{{Scaling: 5e6}, {Scaling: 2e6, Fixed: 3e6}} {
			e, fit := withFit(t, steps125, power.Table2())
			q := busy(5 * ms)
			q.ThreadRun, q.Instructions = 4*q.Dur, uint64(4*w.Scaling*4*1.5)
			got, best, tries := metered(e, fit, truth, w, q, 4000)
			t.Logf("%s, %+v: %.2f %% more than the best state, excursions %v", truth.Name, w,
				(got/best-1)*100, tries)
			if got > best*1.01 {
				t.Errorf("%s, %+v: %.2f %% more energy than the best state", truth.Name, w,
					(got/best-1)*100)
			}
			if tries[0] > 400 || tries[1] > 100 {
				t.Errorf("%s, %+v: %v excursions", truth.Name, w, tries)
			}
		}
	}
}

// TestNoMeterNoExcursion: without a meter there are no excursions, because nothing
// would be learned.
func TestNoMeterNoExcursion(t *testing.T) {
	e, _ := withFit(t, steps125, power.Table2())
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	for range 1000 {
		if d := e.Decide(q, work{Scaling: 2e6, Fixed: 3e6}); d.Reason == ReasonProbe {
			t.Fatalf("%+v", d)
		}
	}
}

// TestSameInputSameDecisions: two policies with the same inputs decide the same, to the last bit.
func TestSystemEnergyIsDeterministic(t *testing.T) {
	checkDeterministic(t, func() Policy {
		e, _ := withFit(t, steps125, sheet())
		return e
	})
}

// TestPausesKeepTheFrequency: a pause of any length keeps the frequency, because no speed is
// promised. Where most power is always on, the first frequency is the highest.
func TestPausesKeepTheFrequency(t *testing.T) {
	e, _ := withFit(t, steps500, stuck())
	checkPauses(t, e, ghz)
}
