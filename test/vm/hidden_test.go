package vm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
)

// hiddenSeeds is the number of machines with hidden physics; tools/test-vm.sh hands it on.
var hiddenSeeds = flag.Int("hidden", 4, "`number` of machines with hidden physics")

// many machines are judged by their shares and their intervals' median width, few are a check.
const many = 20

// firstHidden is the first of their seeds: 1001 in CI. It was developed on 1 to 40, which SEED=0
// draws.
func firstHidden() uint64 {
	n, ok := devtest.GivenSeed()
	if !ok {
		n = 1
	}
	return 1000*n + 1
}

// drawn is a program from a seed, two to four kinds of work in turn: some 4 s of them, and 8 where
// many machines are judged, as a run of 4 s has time for few comparisons.
func drawn(rng *rand.Rand) load {
	kinds := make([]string, 2+rng.IntN(3))
	for i := range kinds {
		kinds[i] = fmt.Sprintf("kind%d@%d", i, rng.IntN(900))
	}
	l := load{iterations: 2 * long}
	if *hiddenSeeds >= many {
		l.iterations *= 2
	}
	for range 3 + rng.IntN(4) {
		l.phases = append(l.phases, kinds[rng.IntN(len(kinds))])
	}
	return l
}

// TestHiddenPhysics: on machines whose power has not the form of ebb's model, drawn from a seed
// each, what ebb says it saved is what the meters' own sums say against a run at the highest
// frequency without ebb. No truth is farther from an interval than that is wide. Of many, 85 % of
// intervals hold the truth, half of them are narrower than 6 points, 5 % of verdicts at most are
// wrong in sign, and 30 % at most are left open; of few, half hold, none is wrong, and half are
// left open.
func TestHiddenPhysics(t *testing.T) {
	settle(t)
	fault(t, "hidden", "0")
	fault(t, "wrap_uj", read(t, parameters+"wrap_uj"))
	held, wrong, silent := 0, 0, 0
	var widths []float64
	first, n := firstHidden(), *hiddenSeeds
	budget := "25%" // which a short run's meters show as well
	if n >= many {
		budget = "10%"
	}
	if n < 1 {
		t.Skip("no machines were asked for")
	}
	for seed := first; seed < first+uint64(n); seed++ {
		rng := rand.New(rand.NewPCG(seed, 0x766d))
		l := drawn(rng)
		// 16 to 64 J
		write(t, parameters+"wrap_uj", fmt.Sprint(16_000_000<<rng.IntN(3)))
		flags := []string{"--slowdown", budget}
		if seed%2 == 0 {
			flags = []string{"--minimize", "system-energy"}
		}
		top := usedAlone(t, seed, l)
		used, rep := usedBy(t, seed, l, flags...)
		v, truth := &rep.Verdict, 1-used/top
		t.Logf("hidden physics %d, %s: saved %.1f %% (%d comparisons): %s", seed, flags[1],
			100*truth, rep.MeterComparisons, v.Line)
		off := max(v.Lo-truth, truth-v.Hi)
		if off <= 0 {
			held++
		}
		if width := v.Hi - v.Lo; off > width {
			t.Errorf("%d: %.1f points off an interval of %.1f", seed, 100*off, 100*width)
		}
		switch {
		case v.Answer == "cannot say":
			silent++
		case v.Answer != "no difference" && (v.Answer == "worth it") != (truth > 0):
			wrong++
		}
		widths = append(widths, 100*(v.Hi-v.Lo))
	}
	slices.Sort(widths)
	t.Logf("hidden physics: %d of %d intervals hold the truth, median width %.1f points; %d wrong "+
		"in sign, %d cannot say", held, n, widths[n/2], wrong, silent)
	least, most := 0.85, 0.3
	if n < many {
		least, most = 0.5, 0.5
	} else if widths[n/2] >= 6 {
		t.Errorf("the median width is %.1f points", widths[n/2])
	}
	if float64(held) < least*float64(n) || wrong > n/20 || float64(silent) > most*float64(n) {
		t.Errorf("%d held, %d wrong, %d silent of %d", held, wrong, silent, n)
	}
}

// usedBy is the energy that a run under ebb really used on hidden physics, in J, and its report.
func usedBy(t *testing.T, seed uint64, l load, flags ...string) (joules float64, rep report) {
	t.Helper()
	joules = usedIn(t, seed, func() {
		meterAnew(t)
		_, rep, _ = governed(t, l, append([]string{"--quantum", "20ms"}, flags...)...)
	})
	return joules, rep
}

// usedAlone is the energy of a run without ebb at the highest frequency. The load reads the meters
// when it begins and ends.
func usedAlone(t *testing.T, seed uint64, l load) (joules float64) {
	t.Helper()
	return usedIn(t, seed, func() { at(t, states(t)[0], l) })
}

// usedIn is the energy between the meters' first and last reading in a run on hidden physics.
func usedIn(t *testing.T, seed uint64, run func()) (joules float64) {
	t.Helper()
	write(t, parameters+"hidden", fmt.Sprint(seed)) // with the die at its reference temperature
	write(t, parameters+"metered_uj", "0")
	run()
	for _, j := range metered(t) {
		joules += j
	}
	return joules
}
