package simtest_test

import (
	"fmt"

	"github.com/ebb-energy/ebb/simtest"
	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// A program of four threads that scan memory is run at four frequencies. If its time were W/f + N,
// any two of these runs would give the same N, the time that does not scale.
func Example() {
	profile, err := hardware.ByName("paper")
	if err != nil {
		panic(err)
	}
	scan := simtest.Mix{Name: "scan", CPI: 0.5, Memory: 8, Parallel: 6}
	program := simtest.Workload{Name: "scan", Threads: 4, Build: func(b *simtest.Builder) {
		for range b.Threads() {
			b.Thread("scanner", simtest.App, func(t *simtest.Thread) { t.Run(&scan, 10_000_000) })
		}
	}}
	var last float64
	for ghz := 1.0; ghz <= 4; ghz++ {
		truth, err := simtest.Static(profile, program, simtest.Options{Seed: 1},
			units.Frequency(ghz*1e9))
		if err != nil {
			panic(err)
		}
		ms := truth.Wall.Seconds() * 1e3
		fmt.Printf("%.0f GHz: %.2f ms, %.1f GB/s", ghz, ms, float64(truth.DRAMReads)*64/ms/1e6)
		if last > 0 {
			fmt.Printf(", does not scale: %.2f ms", ghz*ms-(ghz-1)*last)
		}
		fmt.Println()
		last = ms
	}
	// Output:
	// 1 GHz: 5.73 ms, 3.6 GB/s
	// 2 GHz: 3.40 ms, 6.0 GB/s, does not scale: 1.06 ms
	// 3 GHz: 2.66 ms, 7.7 GB/s, does not scale: 1.18 ms
	// 4 GHz: 2.33 ms, 8.8 GB/s, does not scale: 1.34 ms
}
