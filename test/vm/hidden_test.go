package vm

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// hiddenSeeds is the number of machines with hidden physics; scripts/test-vm.sh hands it on.
var hiddenSeeds = flag.Int("hidden", 6, "`number` of machines with hidden physics")

// hiddenFirst is the first of the seeds that judge. Nothing was developed on these.
const hiddenFirst = 1001

// drawn is a program from a seed: some 4 s of two to four kinds of work in turn.
func drawn(rng *rand.Rand) load {
	kinds := make([]string, 2+rng.IntN(3))
	for i := range kinds {
		kinds[i] = fmt.Sprintf("kind%d@%d", i, rng.IntN(900))
	}
	l := load{iterations: 2 * long}
	for range 3 + rng.IntN(4) {
		l.phases = append(l.phases, kinds[rng.IntN(len(kinds))])
	}
	return l
}

// TestHiddenPhysics: on machines whose power has not the form of ebb's model, drawn from a seed
// each, what ebb says it saved is what the meters' own sums say against a run at the highest
// frequency.
func TestHiddenPhysics(t *testing.T) {
	settle(t)
	fault(t, "hidden", "0")
	fault(t, "wrap_uj", read(t, parameters+"wrap_uj"))
	held, wrong, silent := 0, 0, 0
	var widths []float64
	for seed := uint64(hiddenFirst); seed < hiddenFirst+uint64(*hiddenSeeds); seed++ {
		rng := rand.New(rand.NewPCG(seed, 0x766d))
		l := drawn(rng)
		// 16 to 64 J
		write(t, parameters+"wrap_uj", fmt.Sprint(16_000_000<<rng.IntN(3)))
		flags := []string{"--slowdown", "15%"}
		if seed%2 == 0 {
			flags = []string{"--minimize", "system-energy"}
		}
		top, _ := usedBy(t, seed, l, "--frequency", "4GHz")
		used, rep := usedBy(t, seed, l, flags...)
		v, truth := &rep.Verdict, 1-used/top
		if v.Lo <= truth && truth <= v.Hi {
			held++
		}
		switch {
		case v.Answer == "cannot say":
			silent++
		case v.Answer != "no difference" && (v.Answer == "worth it") != (truth > 0):
			wrong++
		}
		widths = append(widths, 100*(v.Hi-v.Lo))
		t.Logf("hidden physics %d, %s: saved %.1f %% (%d comparisons): %s", seed, flags[1],
			100*truth, rep.MeterComparisons, v.Line)
	}
	slices.Sort(widths)
	n := len(widths)
	t.Logf("hidden physics: %d of %d intervals hold the truth, median width %.1f points; %d "+
		"wrong in sign, %d cannot say", held, n, widths[n/2], wrong, silent)
}

// usedBy is the energy that a run under ebb really used on hidden physics, in J, and its report.
func usedBy(t *testing.T, seed uint64, l load, flags ...string) (joules float64, rep report) {
	t.Helper()
	write(t, parameters+"hidden", fmt.Sprint(seed)) // with the die at its reference temperature
	write(t, parameters+"metered_uj", "0")
	_, rep, _ = governed(t, l, append([]string{"--quantum", "20ms"}, flags...)...)
	for _, j := range metered(t) {
		joules += j
	}
	return joules, rep
}
