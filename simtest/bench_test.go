package simtest_test

import (
	"syscall"
	"testing"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/simtest/workload"
)

// BenchmarkMachine runs whole programs of the evaluation, without records and with them, and
// reports the machine's time and the number of steps that a second of CPU time gives.
func BenchmarkMachine(b *testing.B) {
	p, err := hardware.ByName("paper")
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
			before := cpuSeconds(b)
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
			cpu := cpuSeconds(b) - before
			b.ReportMetric(simulated/cpu, "simulated-s/cpu-s")
			b.ReportMetric(float64(steps)/cpu, "steps/cpu-s")
		})
		b.Run(name+"/records", func(b *testing.B) {
			b.ReportAllocs()
			before := cpuSeconds(b)
			var simulated float64
			counters := []string{"crit_dram", "sq_full", "instructions", "cycles"}
			for b.Loop() {
				tr, _, err := simtest.CountedRun(p, w, simtest.Options{Seed: 1, Counters: counters})
				if err != nil {
					b.Fatal(err)
				}
				simulated += tr.Wall.Seconds()
			}
			b.ReportMetric(simulated/(cpuSeconds(b)-before), "simulated-s/cpu-s")
		})
	}
}

// cpuSeconds is the CPU time that the process has used.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
