package predictor

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/units"
)

const mhz = units.Frequency(1_000_000)

func mhzOf(ghz float64) units.Frequency { return units.Frequency(ghz * 1e9) }

func mustNew(t testing.TB, cfg Config, columns []string) *Predictor {
	t.Helper()
	p, err := New(cfg, columns)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestModelsEqualThePlainOnes compares every model with the plain implementation on 10,000 random
// sequences each.
func TestModelsEqualThePlainOnes(t *testing.T) {
	type variant struct {
		model, estimator, ctp string
		plain                 func(*plain) float64
	}
	variants := []variant{
		{Wake, "crit", "", (*plain).wake},
		{Wake, "bracket", "", (*plain).wake},
		{"dep", "crit", Across, (*plain).across},
		{"dep+burst", "crit", Across, (*plain).across},
		{"dep+burst", "bracket", Across, (*plain).across},
		{"dep", "bracket", PerEpoch, (*plain).perEpoch},
		{"dep+burst", "crit", PerEpoch, (*plain).perEpoch},
		{"m+crit", "crit", "", (*plain).mcrit},
		{"m+crit+burst", "bracket", "", (*plain).mcrit},
		{"coop", "bracket", "", (*plain).coop},
	}
	for _, v := range variants {
		t.Run(strings.Join([]string{v.model, v.estimator, v.ctp}, ","), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			for n := range devtest.Cases(10_000, 2_000) {
				es := randomEpochs(rng)
				alpha := float64(rng.IntN(5)) / 4
				p := mustNew(t, Config{Model: v.model, Estimator: v.estimator, CTP: v.ctp,
					Alpha: &alpha, Unit: epochs.Nanosecond}, testColumns)
				ref := &plain{es: es, f: float64(rng.IntN(25)*125+1000) * 1e6, alpha: alpha,
					bracket: v.estimator == "bracket",
					burst:   v.model == Wake || strings.HasSuffix(v.model, "+burst")}
				base := units.Frequency(1000+125*rng.IntN(25)) * mhz
				for i := range es {
					if rng.IntN(20) == 0 {
						base = units.Frequency(1000+125*rng.IntN(25)) * mhz
					}
					if i > 0 && rng.IntN(10) == 0 {
						p.Mark()
						ref.marks = append(ref.marks, i)
					}
					ref.base = append(ref.base, float64(base))
					p.Add(&es[i], base)
				}
				got, want := p.Duration(units.Frequency(ref.f)), v.plain(ref)
				if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
					t.Fatalf("sequence %d: %v, plain implementation %v", n, got, want)
				}
			}
		})
	}
}

// TestExactAtBase: predicting to the frequency everything ran at gives the measured time, to the
// last bit.
func TestExactAtBase(t *testing.T) {
	for _, model := range ModelNames() {
		for _, ctp := range []string{Across, PerEpoch} {
			rng := rand.New(rand.NewPCG(3, 4))
			for n := range 2000 {
				alpha := rng.Float64()
				p := mustNew(t, Config{Model: model, Estimator: "bracket", CTP: ctp, Alpha: &alpha,
					Unit: epochs.Nanosecond}, testColumns)
				es := randomEpochs(rng)
				base := units.Frequency(1+rng.IntN(5000)) * mhz
				for i := range es {
					p.Add(&es[i], base)
				}
				if got := p.Duration(base); got != float64(p.Measured()) {
					t.Fatalf("%s %s, sequence %d: %v at the base frequency, measured %d", model,
						ctp, n, got, p.Measured())
				}
			}
		}
	}
}

// TestHigherFrequencyIsNeverSlower: a higher frequency is never predicted to take longer.
func TestHigherFrequencyIsNeverSlower(t *testing.T) {
	for _, model := range ModelNames() {
		for _, ctp := range []string{Across, PerEpoch} {
			rng := rand.New(rand.NewPCG(5, 6))
			for n := range 1000 {
				p := mustNew(t, Config{Model: model, Estimator: "bracket", CTP: ctp,
					Unit: epochs.Nanosecond}, testColumns)
				es := randomEpochs(rng)
				if strings.HasPrefix(model, "dep") && ctp == Across && preempts(es) {
					continue // as printed the algorithm does not promise it there
				}
				for i := range es {
					p.Add(&es[i], 2000*mhz)
				}
				last := math.Inf(1)
				for f := 500 * mhz; f <= 5000*mhz; f += 125 * mhz {
					d := p.Duration(f)
					if d > last*(1+1e-12) {
						t.Fatalf("%s %s, sequence %d: %v at %d MHz, %v one step below", model, ctp,
							n, d, f/mhz, last)
					}
					last = d
				}
			}
		}
	}
}

func preempts(es []epochs.Epoch) bool {
	for _, e := range es {
		for _, x := range e.Ends {
			if x.Kind == epochs.EndPreempt {
				return true
			}
		}
	}
	return false
}

func TestResetForgets(t *testing.T) {
	for _, model := range ModelNames() {
		rng := rand.New(rand.NewPCG(7, 8))
		used := mustNew(t, Config{Model: model, Estimator: "crit"}, testColumns)
		for range 200 {
			fresh := mustNew(t, Config{Model: model, Estimator: "crit"}, testColumns)
			es := randomEpochs(rng)
			// Only two things outlast a Reset: whether events name wakers at all, and waits, if
			// the next epoch follows at once.
			reported := &epochs.Epoch{Start: -1,
				Ends: []epochs.End{{Kind: epochs.EndWake, Thread: 1, By: 2}}}
			fresh.Add(reported, 1000*mhz)
			fresh.Reset()
			used.Add(reported, 1000*mhz)
			used.Reset()
			for i := range es {
				used.Add(&es[i], 1000*mhz)
				fresh.Add(&es[i], 1000*mhz)
			}
			if a, b := used.Duration(3000*mhz), fresh.Duration(3000*mhz); a != b {
				t.Fatalf("%s: %v after Reset, %v when new", model, a, b)
			}
		}
	}
}
