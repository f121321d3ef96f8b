package table

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/ebb-energy/ebb/epochs"
)

// randomRun is a run as an assembler cuts it: epochs with nothing between, of threads in order,
// ended by anything that can end one.
func randomRun(rng *rand.Rand, counters int) (es []epochs.Epoch) {
	const kinds = "WOXASPQRCFM"
	now := epochs.Ticks(rng.Int64N(1 << 40))
	for id := range rng.IntN(300) {
		e := epochs.Epoch{ID: id, Start: now, Dur: 1 + epochs.Ticks(rng.Int64N(1e6)),
			Hole: rng.IntN(5) == 0}
		if rng.IntN(2) == 0 {
			e.Waits = epochs.Waits{Runnable: epochs.Ticks(rng.Int64N(1e9)),
				Throttled: epochs.Ticks(rng.Int64N(1e9)), Program: epochs.Ticks(rng.Int64N(1e9)),
				World: epochs.Ticks(rng.Int64N(1e9))}
		}
		now += e.Dur
		for tid := range epochs.TID(6) {
			if rng.IntN(2) == 0 {
				continue
			}
			r := epochs.Row{Thread: tid*1000 + 7, Values: make([]int64, counters)}
			for i := range r.Values {
				r.Values[i] = rng.Int64() >> rng.IntN(64)
			}
			e.Rows = append(e.Rows, r)
		}
		for range rng.IntN(4) {
			x := epochs.End{Kind: epochs.EndKind(kinds[rng.IntN(len(kinds))]),
				Thread: epochs.NoThread, By: epochs.NoThread}
			if x.Kind.HasThread() {
				x.Thread = epochs.TID(rng.Int32())
			}
			if x.Kind.HasBy() && rng.IntN(2) == 0 {
				x.By = epochs.TID(rng.Int32())
			}
			e.Ends = append(e.Ends, x)
		}
		es = append(es, e)
	}
	return es
}

// TestRoundTrip: whatever a run has is read as it was written, compressed or not.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 8))
		n := rng.IntN(epochs.MaxCounters + 1)
		want := randomRun(rng, n)
		name := filepath.Join(dir, []string{"t.csv", "t.csv.gz"}[rng.IntN(2)])
		counters := []string{"a", "b", "c", "d", "e", "f"}[:n]
		writeTable(t, name, Header{Frequency: 1e9, TimeUnit: epochs.Nanosecond}, counters, want)
		got, r := mustReadTable(t, name)
		if err := differ(got, want); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		var total epochs.Ticks
		for _, e := range want {
			total += e.Dur
		}
		if err := r.CheckTotals(); err != nil || r.Header().Total != total {
			t.Fatalf("seed %d: %v, total %d, want %d", seed, err, r.Header().Total, total)
		}
	}
}
