package hardware

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// hiddenPrefix begins the names of the machines of Hidden.
const hiddenPrefix = "hidden-"

// Hidden returns the paper's machine with a power that nobody has stated, drawn from a seed. It
// judges what ebb says of energies, because none of it has the form of ebb's own model:
//
//   - The voltage has a knee: it is flat below a clock between 1.2 and 3 GHz, and rises to 1.0 to
//     1.3 V above it, faster toward the top.
//   - Leakage follows the die's temperature, which follows the power in 0.5 to 4 s.
//   - The uncore's power is concave in its traffic.
//   - An instruction's energy depends on the kind of work by some 25 %, which no counter shows.
//   - On one machine in four the voltage hardly falls and much power is always on, so that a lower
//     clock saves little, or costs energy.
//   - The energy counters have steps of 61 uJ, jitter up to 0.9 ms, noise, a false gain, and few
//     enough bits to wrap every second or so.
func Hidden(seed uint64) Profile {
	rng := rand.New(rand.NewPCG(seed, 0x68696464656e))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	spread := func(mid, factor float64) float64 {
		return mid * math.Exp(math.Log(factor)*between(-1, 1))
	}
	p := paper()
	p.Name = fmt.Sprintf("%s%d", hiddenPrefix, seed)
	p.What = "the paper's machine with a power that nobody has stated"
	p.Counters = PMU{Names: intelCounters}
	w := &p.Power
	w.Voltages = knee(between(1.2e9, 3e9), between(0.65, 0.85), between(1.0, 1.3),
		between(1, 1.8))
	w.Core.Instruction, w.Core.Cycle = spread(1.1, 1.7), spread(0.9, 1.7)
	w.Core.Gated = between(0.2, 0.8)
	w.Core.Static = units.Power(spread(3, 2))
	w.Core.DIBL = between(1, 3)
	if rng.IntN(2) == 0 {
		w.Core.SleepAfter, w.Core.Asleep = gateAfter, gatedLeak
	}
	w.Uncore.Static = units.Power(spread(10, 2.5))
	w.Uncore.L3, w.Uncore.Line = spread(1, 2), spread(3, 2)
	w.Uncore.Ceiling = units.Power(between(1, 5))
	w.Heat = Heat{Ambient: between(30, 55), Resistance: between(0.15, 0.5), Reference: 60,
		Fold: between(30, 50), Constant: between(0.5, 4)}
	w.Kinds, w.KindSeed = 0.25, rng.Uint64()
	p.RAPL = RAPL{Zones: []string{"package", "core", "dram"},
		Jitter: time.Duration(between(0, 0.9e6)), Unit: 1.0 / (1 << 14), Bits: 20,
		Noise: between(0, 0.03), Gain: map[string]float64{"package": between(0.93, 1.07)}}
	p.RAPL.Gain["core"], p.RAPL.Gain["dram"] = p.RAPL.Gain["package"], between(0.9, 1.1)
	if rng.IntN(2) == 0 {
		p.RAPL.Zones = p.RAPL.Zones[:1]
	}
	if rng.IntN(4) == 0 {
		high := between(0.9, 1.1)
		w.Voltages = knee(between(1.2e9, 3e9), high*between(0.9, 0.99), high, 1)
		w.Uncore.Static = units.Power(between(20, 60))
		w.Heat.Resistance = between(0.05, 0.15)
	}
	return p
}

// knee returns the voltage low up to the frequency bend Hz, from where it rises to high at 4 GHz,
// with that power of the way.
func knee(bend, low, high, power float64) (v []VoltagePoint) {
	for f := 1 * ghz; f <= 4*ghz; f += 250 * mhz {
		way := max(float64(f)-bend, 0) / (4e9 - bend)
		v = append(v, VoltagePoint{Frequency: f,
			Volts: low + (high-low)*math.Pow(way, power)})
	}
	return v
}
