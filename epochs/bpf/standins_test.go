package bpf

import (
	"testing"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/hpc"
	"github.com/ebb-energy/ebb/hpc/perfevent"
)

// standinNames are counters that every Linux machine has, which go the same way as those of a PMU.
var standinNames = []string{"tsc", "page_faults", "context_switches", "cpu_clock"}

// openStandins opens the first n of them on each CPU, until the test ends. The test is skipped on a
// machine without the msr PMU, which has no time-stamp counter.
func openStandins(tb testing.TB, n int) *perfevent.Set {
	tb.Helper()
	events, err := hpc.ByName(standinNames[:n])
	if err != nil {
		tb.Fatal(err)
	}
	count, err := ebpf.PossibleCPU()
	if err != nil {
		tb.Fatal(err)
	}
	var cpus []int
	for cpu := range count {
		cpus = append(cpus, cpu)
	}
	s, err := perfevent.Open(hpc.Set{Counters: standinNames[:n],
		By: []hpc.PMUEvents{{Events: events}}}, cpus)
	if err != nil {
		tb.Skip(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}
