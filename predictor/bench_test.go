package predictor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor/nonscaling"
	"github.com/ebb-energy/ebb/units"
)

// The benchmarks below take all of the package's time at a quantum's end: rows in, predictions out.
// For a comparison that benchstat can judge (golang.org/x/perf/cmd/benchstat), on a machine that
// does nothing else:
//
//	go test ./predictor -run '^$' -bench . -benchmem -count 10 >old.txt    # before the change
//	go test ./predictor -run '^$' -bench . -benchmem -count 10 >new.txt    # after it
//	go run golang.org/x/perf/cmd/benchstat@latest old.txt new.txt
//
// What bounds checks the compiler left in, "go build -gcflags=-d=ssa/check_bce ./predictor" lists.
// In the loops over rows (advance) and steps (wake.run) those that are left are of a thread's
// index, which is data.

// quantum makes n epochs in which all threads but one run and that one changes: every epoch ends
// with one thread going to sleep and another being woken.
func quantum(n, threads, columns int) []epochs.Epoch {
	rng := rand.New(rand.NewPCG(9, 10))
	es := make([]epochs.Epoch, n)
	asleep := 0
	var now epochs.Ticks
	for i := range es {
		e := &es[i]
		e.ID, e.Start, e.Dur = i, now, 1000+epochs.Ticks(rng.Int64N(8000))
		now += e.Dur
		for t := range threads {
			if t == asleep && threads > 1 {
				continue
			}
			v := make([]int64, columns)
			for c := range v {
				v[c] = rng.Int64N(int64(e.Dur) / 10) // the memory's lines among them: they fit
			}
			e.Rows = append(e.Rows, epochs.Row{Thread: epochs.TID(5000 + t), Values: v})
		}
		next := rng.IntN(threads)
		by := epochs.TID(5000 + (next+1)%threads)
		e.Ends = []epochs.End{
			{Kind: epochs.EndSleep, Thread: epochs.TID(5000 + next), By: epochs.NoThread},
			{Kind: epochs.EndWake, Thread: epochs.TID(5000 + asleep), By: by, Delay: 500},
		}
		asleep = next
	}
	return es
}

// take gives a quantum's epochs to p.
func take(p *Predictor, es []epochs.Epoch) {
	p.Reset()
	for i := range es {
		p.Add(&es[i], 2000*mhz)
	}
}

func rows(es []epochs.Epoch) (n int) {
	for i := range es {
		n += len(es[i].Rows)
	}
	return n
}

var benchModels = []struct{ name, model, ctp string }{
	{"wake", Wake, ""},
	{"dep", "dep+burst", Across},
	{"per-epoch", "dep+burst", PerEpoch},
	{"coop", "coop+burst", ""},
	{"m+crit", "m+crit+burst", ""},
}

// BenchmarkAdd is the cost of taking epochs in, without a prediction.
func BenchmarkAdd(b *testing.B) {
	for _, m := range benchModels {
		b.Run(m.name, func(b *testing.B) {
			es := quantum(1000, 64, len(testColumns))
			p := mustNew(b, Config{Model: m.model, CTP: m.ctp, Estimator: "bracket",
				Unit: epochs.Nanosecond}, testColumns)
			take(p, es) // buffers grow once
			b.ReportAllocs()
			for b.Loop() {
				take(p, es)
			}
			b.ReportMetric(float64(rows(es))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkDuration is one prediction of 1,000 epochs of 64 threads, with each model by its name.
func BenchmarkDuration(b *testing.B) {
	all := []struct{ model, ctp string }{{"dep+burst", PerEpoch}}
	for _, name := range ModelNames() {
		all = append(all, struct{ model, ctp string }{name, ""})
	}
	for _, m := range all {
		b.Run(m.model+m.ctp, func(b *testing.B) {
			es := quantum(1000, 64, len(testColumns))
			p := mustNew(b, Config{Model: m.model, CTP: m.ctp, Estimator: "bracket",
				Unit: epochs.Nanosecond}, testColumns)
			take(p, es)
			b.ReportAllocs()
			for b.Loop() {
				p.Duration(3000 * mhz)
			}
		})
	}
}

// BenchmarkTable takes epochs in and predicts them at 25 states: rows/s counts (epoch x thread)
// rows, each predicted 25 times.
func BenchmarkTable(b *testing.B) {
	for _, m := range benchModels {
		for _, threads := range []int{4, 64} {
			b.Run(m.name+"/"+map[int]string{4: "4threads", 64: "64threads"}[threads],
				func(b *testing.B) {
					es := quantum(1000, threads, len(testColumns))
					p := mustNew(b, Config{Model: m.model, CTP: m.ctp, Estimator: "bracket",
						Unit: epochs.Nanosecond}, testColumns)
					take(p, es)
					p.Duration(1000 * mhz)
					b.ReportAllocs()
					for b.Loop() {
						take(p, es)
						for s := range 25 {
							p.Duration(units.Frequency(1000+125*s) * mhz)
						}
					}
					b.ReportMetric(float64(rows(es))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
				})
		}
	}
}

// BenchmarkDecision makes the predictions of a budget policy at a quantum's end in the worst case:
// the highest of 25 states, then bisection among the others. The quantum has 1,000 epochs, 64
// threads, of which all but one always run. It also reports the 99th percentile.
func BenchmarkDecision(b *testing.B) {
	for _, m := range benchModels {
		b.Run(m.name, func(b *testing.B) {
			es := quantum(1000, 65, len(testColumns))
			p := mustNew(b, Config{Model: m.model, CTP: m.ctp, Estimator: "bracket",
				Unit: epochs.Nanosecond}, testColumns)
			take(p, es)
			times := make([]time.Duration, 0, 1<<16)
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				limit := 1.05 * p.Duration(4000*mhz)
				lo, hi := 0, 24
				for lo < hi {
					mid := (lo + hi) / 2
					if p.Duration(units.Frequency(1000+125*mid)*mhz) <= limit {
						hi = mid
					} else {
						lo = mid + 1
					}
				}
				if len(times) < cap(times) {
					times = append(times, time.Since(start))
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds()), "p99-ns")
		})
	}
}

// BenchmarkEstimator is the cost of a row with each of the estimators, without a prediction.
func BenchmarkEstimator(b *testing.B) {
	for _, e := range estimators() {
		b.Run(e.Name, func(b *testing.B) {
			columns := benchColumns(&e)
			es := quantum(1000, 64, len(columns))
			p := mustNew(b, Config{Estimator: e.Name, Unit: epochs.Nanosecond}, columns)
			take(p, es) // buffers grow once
			b.ReportAllocs()
			for b.Loop() {
				take(p, es)
			}
			b.ReportMetric(float64(rows(es))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// benchColumns are the columns that an estimator needs, and the memory's lines.
func benchColumns(e *nonscaling.Estimator) (columns []string) {
	columns = append(columns, "dram_rd")
	for _, c := range append(slices.Clone(e.Columns), e.Store...) {
		c, _, _ = strings.Cut(c, "|")
		columns = append(columns, c)
	}
	return columns
}

// TestHotPathAllocatesNothing: once the buffers have grown, neither taking epochs in nor predicting
// allocates, with any model and any estimator.
func TestHotPathAllocatesNothing(t *testing.T) {
	for _, model := range ModelNames() {
		for _, ctp := range []string{Across, PerEpoch} {
			for _, e := range estimators() {
				columns := benchColumns(&e)
				es := quantum(100, 8, len(columns))
				p := mustNew(t, Config{Model: model, CTP: ctp, Estimator: e.Name,
					Unit: epochs.Nanosecond}, columns)
				take(p, es)
				p.Duration(3000 * mhz)
				if n := testing.AllocsPerRun(5, func() {
					take(p, es)
					p.Duration(1000 * mhz)
					p.Duration(4000 * mhz)
					p.Interval(3000 * mhz)
				}); n != 0 {
					t.Errorf("%s %s, %s: %v allocations", model, ctp, e.Name, n)
				}
			}
		}
	}
}
