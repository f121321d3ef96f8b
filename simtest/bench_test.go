package simtest_test

import (
	"testing"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// BenchmarkMachine runs whole programs of the evaluation, without records and with them, and tells how much of the machine's
// time a second of the host's gives, and how many steps.
func BenchmarkMachine(b *testing.B) {
	p, err := simtest.ProfileByName("paper")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"xalan", "avrora", "lusearch", "sunflow"} {
		w, err := workload.ByName(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/quiet", func(b *testing.B) {
			b.ReportAllocs()
			var simulated float64
			var steps int64
			for b.Loop() {
				tr, n, err := simtest.CountedRun(p, w, simtest.Options{Seed: 1, Quiet: true})
				if err != nil {
					b.Fatal(err)
				}
				simulated += tr.Wall.Seconds()
				steps += n
			}
			b.ReportMetric(simulated/b.Elapsed().Seconds(), "simulated-s/s")
			b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
		})
		b.Run(name+"/records", func(b *testing.B) {
			b.ReportAllocs()
			var simulated float64
			counters := []string{"crit_dram", "sq_full", "instructions", "cycles"}
			for b.Loop() {
				tr, _, err := simtest.CountedRun(p, w, simtest.Options{Seed: 1, Counters: counters})
				if err != nil {
					b.Fatal(err)
				}
				simulated += tr.Wall.Seconds()
			}
			b.ReportMetric(simulated/b.Elapsed().Seconds(), "simulated-s/s")
		})
	}
}
