package bench

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/tolerance"
)

// noises are differences between runs, as logarithms of a standard deviation of about 1.
var noises = []struct {
	name string
	draw func(r *rand.Rand) float64
	// least is the share of trials in which an interval has to hold the truth.
	least float64
}{
	{"normal", func(r *rand.Rand) float64 { return r.NormFloat64() }, 0.95},
	// One run in ten is disturbed. Where noise has heavy tails Student's t errs to the safe side.
	{"outliers", func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 5 * r.NormFloat64()
		}
		return r.NormFloat64()
	}, 0.95},
	// Disturbances that only ever lengthen a run; those of two runs cancel in their ratio's skew.
	{"one-sided", func(r *rand.Rand) float64 { return r.ExpFloat64() - 1 }, 0.95},
}

// byChance is the probability that a count is out of its range though nothing is wrong: some 2.9
// standard deviations to either side. The draws are the same in every run.
const byChance = 0.004

// TestIntervalsHoldTheTruth: with drift that runs of a round share, 95 % of intervals hold the true
// ratio.
func TestIntervalsHoldTheTruth(t *testing.T) {
	const truth, sd = 0.05, 0.02
	trials := devtest.Cases(6000, 2000)
	for _, noise := range noises {
		for _, rounds := range []int{2, 3, 5, 10} {
			r := rand.New(rand.NewPCG(1, uint64(rounds)))
			held := 0
			for range trials {
				drift := 0.0
				var logs []float64
				for range rounds {
					drift += 0.1 * r.NormFloat64() // five times the noise
					base := drift + sd*noise.draw(r)
					own := drift + math.Log1p(truth) + sd*noise.draw(r)
					logs = append(logs, logRatio(math.Exp(own), math.Exp(base)))
				}
				if i := Ratio(logs); i.Lo <= truth && truth <= i.Hi {
					held++
				}
			}
			got := float64(held) / float64(trials)
			t.Logf("%s noise, %d rounds: %.1f %% of intervals hold the truth", noise.name, rounds,
				100*got)
			// And they are not so wide as to say nothing.
			if least, _ := tolerance.Count(trials, noise.least, byChance); held < least ||
				got > 0.985 {
				t.Errorf("%s noise, %d rounds: %.2f %%", noise.name, rounds, 100*got)
			}
		}
	}
}

// world is a synthetic machine: what its states truly do, as logarithms to the highest.
type world struct {
	name         string
	time, energy []float64
	budget       float64
}

func (w *world) optimum() int {
	best := 0
	for i := range w.time {
		if w.time[i] <= math.Log1p(w.budget) && w.energy[i] < w.energy[best] {
			best = i
		}
	}
	return best
}

// observe makes rounds of runs.
func (w *world) observe(r *rand.Rand, rounds int, sd float64) []series {
	out := make([]series, len(w.time))
	for range rounds {
		base := [2]float64{sd * r.NormFloat64(), sd * r.NormFloat64()}
		for i := range w.time {
			own := [2]float64{sd * r.NormFloat64(), sd * r.NormFloat64()}
			if i == 0 {
				own = base
			}
			out[i].time = append(out[i].time, w.time[i]+own[0]-base[0])
			out[i].energy = append(out[i].energy, w.energy[i]+own[1]-base[1])
		}
	}
	return out
}

func worlds() []world {
	var all []world
	add := func(name string, budget float64, n int, time, energy func(i float64) float64) {
		w := world{name: name, budget: budget}
		for i := range n {
			w.time, w.energy = append(w.time, time(float64(i))), append(w.energy,
				energy(float64(i)))
		}
		all = append(all, w)
	}
	add("memory-bound", 0.05, 25, func(i float64) float64 { return 0.004 * i * (1 + i/30) },
		func(i float64) float64 { return -0.025*i + 0.0009*i*i })
	add("a flat valley", 0.50, 25, func(i float64) float64 { return 0.004 * i },
		func(i float64) float64 {
			if i == 0 {
				return 0
			}
			return -0.2
		})
	add("on the budget's edge", 0.05, 7,
		func(i float64) float64 { return i / 3 * math.Log1p(0.05) },
		func(i float64) float64 { return -0.05 * i })
	add("low costs more", 0.10, 5, func(i float64) float64 { return 0.05 * i },
		func(i float64) float64 { return 0.01 * i })
	return all
}

// TestThePossibleHoldTheOptimum: what is left out as not optimal is the optimum in at most 5 % of
// measurements.
func TestThePossibleHoldTheOptimum(t *testing.T) {
	devtest.Long(t)
	const trials = 2000
	for _, w := range worlds() {
		best := w.optimum()
		for _, rounds := range []int{3, 5, 10} {
			r := rand.New(rand.NewPCG(2, uint64(rounds)))
			missed, size := 0, 0
			for range trials {
				statics := w.observe(r, rounds, 0.01)
				o := newOptimum(statics, w.budget)
				found := false
				for _, i := range o.possible {
					found = found || w.energy[i] == w.energy[best] &&
						w.time[i] <= math.Log1p(w.budget)
				}
				if !found {
					missed++
				}
				size += len(o.possible)
			}
			got := float64(missed) / trials
			t.Logf("%s, %d rounds: missed in %.2f %%, %.1f of %d states left in the mean", w.name,
				rounds, 100*got, float64(size)/trials, len(w.time))
			if _, most := tolerance.Count(trials, omission, byChance); missed > most {
				t.Errorf("%s, %d rounds: the optimum is left out in %.2f %% of measurements",
					w.name, rounds, 100*got)
			}
			if rounds == 10 && w.name == "memory-bound" && float64(size)/trials > 20 {
				t.Errorf(
					"with ten rounds %.1f of %d states stay in the set, which then says "+
						"nothing", float64(size)/trials, len(w.time),
				)
			}
		}
	}
}

// TestHeldOutFiguresAreUnbiased: where many states are alike, the one that looks best is lucky; its
// figures in rounds that did not choose it are not.
func TestHeldOutFiguresAreUnbiased(t *testing.T) {
	const trials, rounds, sd = 4000, 6, 0.02
	for _, w := range worlds() {
		r := rand.New(rand.NewPCG(3, 3))
		var naive, held []float64
		for range trials {
			statics := w.observe(r, rounds, sd)
			o := newOptimum(statics, w.budget)
			naive = append(naive, meanOf(statics[o.best].energy, sequence(rounds))-w.energy[o.best])
			e := 0.0
			for k, c := range o.choice {
				e += (statics[c].energy[k] - w.energy[c]) / rounds
			}
			held = append(held, e)
		}
		n, nErr := meanError(naive)
		h, hErr := meanError(held)
		t.Logf("%s: as chosen %+.3f %% (error %.3f), held out %+.3f %% (error %.3f)", w.name, 100*n,
			100*nErr, 100*h, 100*hErr)
		if math.Abs(h) > tolerance.Deviations(1e-4)*hErr {
			t.Errorf("%s: held-out energy is off by %+.4f, standard error %.4f", w.name, h, hErr)
		}
		if w.name == "a flat valley" && n > -10*nErr {
			t.Errorf(
				"%s: choosing by the runs that are reported shows no bias (%+.4f): this test can "+
					"not see one", w.name, n,
			)
		}
	}
}

// TestHeldOutIntervalsHoldTheTruth: the interval around the static optimum's energy holds what its
// choices truly cost.
func TestHeldOutIntervalsHoldTheTruth(t *testing.T) {
	devtest.Long(t)
	const trials = 4000
	for _, w := range worlds() {
		r := rand.New(rand.NewPCG(4, 4))
		held := 0
		for range trials {
			statics := w.observe(r, 10, 0.01)
			o := newOptimum(statics, w.budget)
			var logs []float64
			truth := 0.0
			for k, c := range o.choice {
				logs = append(logs, statics[c].energy[k])
				truth += w.energy[c] / float64(len(o.choice))
			}
			if i := Ratio(logs); i.Lo <= math.Expm1(truth)+1e-12 &&
				math.Expm1(truth) <= i.Hi+1e-12 {
				held++
			}
		}
		got := float64(held) / trials
		if least, _ := tolerance.Count(trials, 0.95, 3e-5); held < least {
			t.Errorf("%s: %.1f %%", w.name, 100*got)
		} else {
			t.Logf("%s: %.1f %% of intervals hold the truth", w.name, 100*got)
		}
	}
}
