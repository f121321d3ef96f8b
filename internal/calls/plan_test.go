package calls_test

import (
	"math"
	"slices"
	"testing"

	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/instrumented"
)

// quantile returns the value below which a part of some values lies.
func quantile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(part*float64(len(sorted)-1))]
}

// TestRecordsAreShared: the functions of a thread share records, so that the only one of a program
// has many times as many as where each gets one.
func TestRecordsAreShared(t *testing.T) {
	b := build(t)
	argv := []string{b.program(t, "uneven.c"), "1000"}
	records := func(s instrumented.Settings) (n int) {
		k := count(t, s, period, []string{"LD_PRELOAD=" + b.shared}, argv...)
		k.exact(t)
		for _, list := range k.records {
			n = max(n, len(list))
		}
		return n
	}
	one, many := records(instrumented.Settings{Records: 1}),
		records(instrumented.Settings{Records: 1, Divided: 32})
	if many < 4*one {
		t.Errorf("%d records where each function has one in a period, %d where they share 32", one,
			many)
	}
}

// TestEachCallIsAsLikely: of a function of which each fourth call takes ten times as long, records
// of long calls stand for a quarter of the calls, although they fill three quarters of the time.
func TestEachCallIsAsLikely(t *testing.T) {
	devtest.Long(t)
	b := build(t)
	k := count(t, instrumented.Settings{Records: 4}, period, []string{"LD_PRELOAD=" + b.shared},
		b.program(t, "uneven.c"), "16000")
	k.exact(t)
	var of function
	for f := range k.own {
		of = f
	}
	list := k.records[of]
	var times []float64
	for _, r := range list {
		times = append(times, float64(r.CPU))
	}
	middle := math.Sqrt(10) * quantile(times, 0.2)
	var long, all, squares float64
	for _, r := range list {
		w := float64(r.Stands)
		all += w
		squares += w * w
		if float64(r.CPU) > middle {
			long += w
		}
	}
	n := all * all / squares // records of equal weight that would say as much
	deviation := math.Sqrt(0.25 * 0.75 / n)
	if share := long / all; n < 100 || math.Abs(share-0.25) > 4.5*deviation {
		t.Errorf("%.1f %% of the calls are long by %d records (as good as %.0f), not 25 %% +- %.1f",
			share*100, len(list), n, 450*deviation)
	}
	// Records that were dropped, as the thread lost its CPU, stand for as many calls as others.
	all *= 1 + float64(k.totals.Dropped)/float64(len(list))
	if calls := float64(k.own[of]); all < calls*0.8 || all > calls*1.2 {
		t.Errorf("the records stand for %.0f calls of %.0f", all, calls)
	}
}
