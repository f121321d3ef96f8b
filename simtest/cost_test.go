package simtest

import (
	"math"
	"testing"

	"github.com/ebb-energy/ebb/simtest/hardware"
	"github.com/ebb-energy/ebb/units"
)

// seconds of a program at f on the paper's machine, in s.
func seconds(t *testing.T, w Workload, f units.Frequency) float64 {
	t.Helper()
	return static(t, paper(), w, Options{Seed: 1}, f).Wall.Seconds()
}

// nonScaling is the time that does not scale with the clock if one believes two runs and T = W/f +
// N.
func nonScaling(f1, t1, f2, t2 float64) float64 { return (f2*t2 - f1*t1) / (f2 - f1) }

// TestComputeTakesItsCycles: code in the core's own caches takes its cycles, whatever the
// frequency.
func TestComputeTakesItsCycles(t *testing.T) {
	const n = 50_000_000
	for f := testGHz; f <= 4*testGHz; f += 500_000_000 {
		want := n * computeMix.CPI / float64(f)
		// The first switch costs the kernel's path.
		if got := seconds(t, alone(&computeMix, 1, n),
			f) - paper().SwitchCycles/float64(f); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%v: %.9f s, want %.9f s", f, got, want)
		}
	}
}

// TestChaseHardlyScales: a chain of dependent misses takes memory's latency for each, whatever the
// frequency, but for the little that hides behind it and the lookups.
func TestChaseHardlyScales(t *testing.T) {
	const n = 10_000_000
	slow, fast := seconds(t, alone(&chaseMix, 1, n), testGHz), seconds(t, alone(&chaseMix, 1, n),
		4*testGHz)
	if r := slow / fast; r < 1.2 || r > 1.8 {
		t.Errorf("%.4f s at 1 GHz, %.4f s at 4: %.2f times", slow, fast, r)
	}
	p := paper()
	misses := n * (chaseMix.Memory) / 1000
	if least := misses * (p.L3Ns + p.DRAMNs) * 1e-9; fast < least*0.9 {
		t.Errorf("%.4f s at 4 GHz, %.0f misses one after the other take %.4f s", fast, misses,
			least)
	}
}

// TestFasterIsNeverSlower: without threads that wait for each other, time falls with frequency and
// never by more than the frequency rises, whatever the code.
func TestFasterIsNeverSlower(t *testing.T) {
	for seed := range uint64(60) {
		mix := randomMix(seed)
		threads := 1 + int(seed%4)
		last, lastF := math.Inf(1), 0.0
		for _, f := range paper().States {
			s := seconds(t, alone(&mix, threads, 2_000_000), f)
			if s > last*(1+2e-4) || s*float64(f) < last*lastF*(1-2e-4) {
				t.Errorf("seed %d, %d threads of %+v: %.6f s at %v, %.6f s at the state below",
					seed, threads, mix, s, f, last)
				break
			}
			last, lastF = s, float64(f)
		}
	}
}

// TestTwoComponentsAreNotEnough: the time that does not scale, computed from two runs at
// neighbouring frequencies, differs between low and high frequencies: the reorder buffer hides less
// of a latency when the core is fast, and memory's queue grows with the cores' speed. So no single
// number makes T = W/f + N right.
func TestTwoComponentsAreNotEnough(t *testing.T) {
	hidden := Mix{Name: "hidden", CPI: 0.9, L3: 15, Memory: 1}
	queued := Mix{Name: "queued", CPI: 0.5, Memory: 8, Parallel: 6}
	bursts := Mix{Name: "bursts", CPI: 1.2, Stores: 100, StoreMisses: 18}
	for _, c := range []struct {
		mix     *Mix
		threads int
		least   float64 // by which the figures have to differ, of the run's time at 4 GHz
	}{{&hidden, 1, 0.1}, {&queued, 4, 0.1}, {&bursts, 1, 0.3}} {
		at := map[float64]float64{}
		for f := 1.0; f <= 4; f++ {
			at[f] = seconds(t, alone(c.mix, c.threads, 10_000_000), units.Frequency(f)*testGHz)
		}
		low, high := nonScaling(1, at[1], 2, at[2]), nonScaling(3, at[3], 4, at[4])
		t.Logf("%-7s %d threads: %.2f, %.2f, %.2f, %.2f ms at 1 to 4 GHz; does not scale: "+
			"%.2f ms between 1 and 2 GHz, %.2f ms between 3 and 4", c.mix.Name, c.threads,
			at[1]*1e3, at[2]*1e3, at[3]*1e3, at[4]*1e3, low*1e3, high*1e3)
		if (high-low)/at[4] < c.least {
			t.Errorf("%s: %.3f ms and %.3f ms do not scale: hardly a difference", c.mix.Name,
				low*1e3, high*1e3)
		}
	}
	chase := alone(&chaseMix, 1, 10_000_000)
	low, high := nonScaling(1, seconds(t, chase, testGHz), 2,
		seconds(t, chase, 2*testGHz)), nonScaling(3, seconds(t, chase, 3*testGHz), 4,
		seconds(t, chase, 4*testGHz))
	if math.Abs(high-low) > 0.01*high {
		t.Errorf("chase: %.3f ms and %.3f ms do not scale, and nothing overlaps there", low*1e3,
			high*1e3)
	}
}

// TestMemoryFillsUp: the more threads read memory, the longer each access takes, and together they
// never move more than memory can.
func TestMemoryFillsUp(t *testing.T) {
	p := paper().WithCores(8)
	p.LineNs = paper().LineNs
	last := 0.0
	for n := 1; n <= 8; n++ {
		tr := static(t, p, alone(&streamMix, n, 20_000_000), Options{Seed: 1}, 4*testGHz)
		s := tr.Wall.Seconds()
		rate := float64(tr.DRAMReads+tr.DRAMWrites) * hardware.LineBytes / s
		if s <= last || rate > p.Bandwidth() {
			t.Errorf("%d threads: %.6f s after %.6f s, %.2f of %.2f GB/s", n, s, last, rate/1e9,
				p.Bandwidth()/1e9)
		}
		if n == 8 && rate < 0.85*p.Bandwidth() {
			t.Errorf("8 threads move %.2f of %.2f GB/s", rate/1e9, p.Bandwidth()/1e9)
		}
		last = s
	}
}

// TestStoreBurst: a burst of stores runs at the core's speed until the store queue is full, and
// then at memory's, which no clock changes.
func TestStoreBurst(t *testing.T) {
	p := paper()
	const n = 4_000_000
	lines := float64(n) * burstMix.StoreMisses / 1000
	for _, f := range []units.Frequency{testGHz, 2 * testGHz, 4 * testGHz} {
		s := seconds(t, alone(&burstMix, 1, n), f)
		look := p.LookupCycles / float64(f)
		least := lines * (look + (p.L3Ns+p.DRAMNs)*1e-9) / p.StoreParallel
		if s < least || s > least*1.35 {
			t.Errorf("%v: %.0f lines took %.4f ms; they need %.4f ms", f, lines, s*1e3, least*1e3)
		}
	}
	// Few stores find place in the queue: 20 lines take less than memory needs for them.
	const few = 60
	short := static(t, p, alone(&burstMix, 1, few), Options{Seed: 1},
		4*testGHz).Wall.Seconds() - p.SwitchCycles/4e9
	if want := few * burstMix.CPI / 4e9; short > want*1.2 {
		t.Errorf("%d instructions took %.1f ns, without waiting %.1f ns", few, short*1e9, want*1e9)
	}
}

// TestBusyCoresMissMoreUnderPressure: code under pressure has more misses the more cores are busy.
func TestBusyCoresMissMoreUnderPressure(t *testing.T) {
	mix := Mix{Name: "shared", CPI: 0.6, L3: 20, Pressure: 0.3}
	one := static(t, paper(), alone(&mix, 1, 1_000_000), Options{Seed: 1}, 2*testGHz)
	four := static(t, paper(), alone(&mix, 4, 1_000_000), Options{Seed: 1}, 2*testGHz)
	if one.DRAMReads != 0 || four.DRAMReads < 4*5000 || four.Wall <= one.Wall {
		t.Errorf("alone %d lines in %v, with three others %d lines in %v", one.DRAMReads, one.Wall,
			four.DRAMReads, four.Wall)
	}
}

// TestMissesVaryAroundTheirMean: misses vary from one stretch to the next, around their mean.
func TestMissesVaryAroundTheirMean(t *testing.T) {
	mix := Mix{Name: "spread", CPI: 0.6, Memory: 10, Spread: 0.5}
	w := Workload{Name: "spread", Threads: 1, Build: func(b *Builder) {
		b.Thread("app", App, func(t *Thread) {
			for range 4000 {
				t.Run(&mix, 10_000)
			}
		})
	}}
	tr := static(t, paper(), w, Options{Seed: 1}, 4*testGHz)
	if mean := float64(tr.DRAMReads) / 4000; mean < 97 || mean > 103 {
		t.Errorf("%.1f misses a stretch on average, want 100", mean)
	}
}

func randomMix(seed uint64) Mix {
	r := newRand(seed)
	m := Mix{
		Name:      "random",
		CPI:       0.3 + 2*r.Float64(),
		L3:        20 * r.Float64(),
		Memory:    20 * r.Float64() * r.Float64(),
		Transfers: 4 * r.Float64(),
		Fetch:     5 * r.Float64(),
		Stores:    400 * r.Float64(),
		Parallel:  1 + 9*r.Float64(),
		Dependent: r.Float64(),
		Ahead:     64 * r.Float64(),
		Pressure:  r.Float64() / 2,
	}
	m.StoreMisses = m.Stores * r.Float64() * r.Float64()
	return m
}
