package policy

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

// frugal is a machine on which hardly anything but the clock draws power.
var frugal = power.Model{VoltsPerGHz: 0.2, VoltsAtZero: 0.2, Reference: 4 * ghz, Static: 0.1,
	Core: 20}

func newSixSteps(t testing.TB, s []units.Frequency, m power.Model) *PaperSixSteps {
	t.Helper()
	e, err := NewPaperSixSteps(s, m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestLeastEnergy: the expected states follow from predictor/power's own table worked by hand, plus
// facts: with nothing but dynamic power the lowest state wins, with enough constant power the
// highest (section 6.2, last paragraph).
func TestLeastEnergy(t *testing.T) {
	hot := power.Table2()
	hot.Platform = 500
	whole := []units.Frequency{ghz, 2 * ghz, 3 * ghz, 4 * ghz}
	for _, tc := range []struct {
		name  string
		m     power.Model
		w     work
		cores time.Duration
		want  units.Frequency
	}{
		// 0.545, 0.448, 0.463, 0.512 J a second by 5 ms
		{"four busy cores", power.Table2(), work{Scaling: 5e6}, 4, 2 * ghz},
		{"one busy core", power.Table2(), work{Scaling: 5e6}, 1, 4 * ghz},
		// 24 W*V/1.07+1.5 W for 1.3, 1.1, 1.03, 1 times 5 ms
		{"one core that waits for memory", power.Table2(), work{Scaling: 0.5e6, Fixed: 4.5e6}, 1,
			ghz},
		{"a platform of 500 W", hot, work{Scaling: 5e6}, 4, 4 * ghz},
		// the voltage does not change
		{"all the same", power.Model{VoltsAtZero: 1, Reference: ghz, Core: 20}, work{Scaling: 5e6},
			4, 4 * ghz},
		{"only the clock draws power", frugal, work{Scaling: 5e6}, 4, ghz},
	} {
		q := busy(5 * ms)
		q.Delivered, q.ThreadRun = 4*ghz, tc.cores*q.Dur
		d := newSixSteps(t, whole, tc.m).Decide(q, tc.w)
		if d.Frequency != tc.want || d.Reason != ReasonEnergy ||
			d.Max != tc.w.Duration(4*ghz) ||
			d.Chosen != tc.w.Duration(d.Frequency) || d.Slack != 0 {
			t.Errorf("%s: %+v, want %v", tc.name, d, tc.want)
		}
	}
}

// TestLeastOfAll compares with every state's energy on random machines and work. Each state is
// asked for once.
func TestLeastOfAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	seen := map[units.Frequency]int{}
	for range 3000 {
		m := power.Table2()
		m.Static, m.Platform = units.Power(rng.Float64()*40), units.Power(rng.Float64()*20)
		s := steps125
		calls := 0
		p := randomCurve(rng, s, 5e6, &calls)
		q := Quantum{Dur: 5 * ms, Busy: 4 * ms, ThreadRun: time.Duration(rng.Int64N(20e6)),
			Delivered: s[rng.IntN(len(s))], DRAMReads: rng.Uint64N(100000)}
		d := newSixSteps(t, s, m).Decide(q, p)
		if calls != len(s) {
			t.Fatalf("%d predictions for %d states", calls, len(s))
		}
		energy := func(f units.Frequency) units.Energy {
			w := power.Work{Dur: time.Duration(math.Round(p.Duration(f))), CoreBusy: q.ThreadRun,
				Base: q.Delivered, F: f, DRAMReads: q.DRAMReads}
			return m.Energy(w).Total()
		}
		for _, f := range s {
			if e := energy(f); e < energy(d.Frequency) ||
				e == energy(d.Frequency) && f > d.Frequency {
				t.Fatalf("%v costs %v, %v costs %v", d.Frequency, energy(d.Frequency), f, e)
			}
		}
		seen[d.Frequency]++
	}
	if len(seen) < 10 {
		t.Errorf("the random cases choose among %d states only", len(seen))
	}
}

func TestSixStepsWithoutPrediction(t *testing.T) {
	e := newSixSteps(t, steps500, frugal)
	q := busy(5 * ms)
	q.Delivered = 4 * ghz
	hole := q
	hole.Hole = true
	for _, d := range []Decision{e.Decide(hole, work{Scaling: 5e6}),
		e.Decide(q, work{Fixed: math.NaN()}), e.Decide(q, work{})} {
		if d.Frequency != 4*ghz || d.Reason != ReasonHole {
			t.Errorf("%+v, want the highest", d)
		}
	}
}

func TestSixStepsRefused(t *testing.T) {
	if _, err := NewPaperSixSteps(nil, frugal); err == nil {
		t.Error("no states were accepted")
	}
	if _, err := NewPaperSixSteps(steps500, power.Model{}); err == nil {
		t.Error("no power model was accepted")
	}
}

// TestSixStepsPauses: while the target sleeps the frequency stays. It begins at the highest.
func TestSixStepsPauses(t *testing.T) {
	p := newSixSteps(t, steps500, frugal)
	if f := p.First(); f != 4*ghz {
		t.Errorf("begins at %v", f)
	}
	checkPauses(t, p, ghz)
}

// TestSameInputSameDecisions: two policies with the same inputs decide the same, to the last bit.
func TestPaperIsDeterministic(t *testing.T) {
	checkDeterministic(t, func() Policy { return newSixSteps(t, steps125, frugal) })
}
