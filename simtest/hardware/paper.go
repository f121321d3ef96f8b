package hardware

import (
	"time"

	"github.com/ebb-energy/ebb/units"
)

const (
	mhz units.Frequency = 1_000_000
	ghz units.Frequency = 1_000_000_000
)

// paper returns the machine of DEP+BURST, Table 2: four cores after Intel's Core i7-4770K
// (Haswell).
//
//   - ROB 128 entries, 32 stores: Table 2. Its 48 outstanding loads are the load queue. Misses in
//     flight are bounded by the first-level cache's line fill buffers: ten in Haswell (Intel's
//     optimization manual).
//   - Look-up 14 cycles: L1 2 and L2 11 of Table 2, and one to send the request.
//   - Shared cache 40 cycles at 1.5 GHz from the core: 28 of them beyond the lookups of L1 and L2
//     are 18.7 ns.
//   - Memory 45 ns (Table 2) and 7 ns for the controller and the way; 12 GB/s are 5.33 ns per line.
//   - Lines from another core's cache take some 40 ns at 4 GHz and 70 ns at 1 GHz in all: the way
//     is fixed, the owner's lookup takes core cycles. These values are chosen in the range of
//     core-to-core latencies on such parts, not measured.
//   - The kernel's paths: a futex call that sleeps and the switch after it take 0.7 us at 4 GHz and
//     2.7 us at 1 GHz, the order of common measurements.
//   - Transitions 2 us (section 4): the cores stand still that long, and the request takes effect
//     at once.
func paper() Profile {
	return Profile{
		Name: "paper",
		What: "four cores of DEP+BURST's Table 2, 1 to 4 GHz in steps of 125 MHz, " +
			"2 us transitions",
		Cores:  4,
		States: steps(1*ghz, 4*ghz, 125*mhz),

		ROB: 128, LookupCycles: 14,
		StoreEntries: 32, StoreParallel: 3, MissParallel: 10,

		L3Ns: 18.7, DRAMNs: 52, LineNs: 64.0 / 12,
		TransferNs: 12, TransferCycles: 24,

		SwitchCycles: 1500, FutexCycles: 1200, WakeCycles: 900,
		WakeLatency: 2 * time.Microsecond, MigrateNs: 3000,
		TimeSlice: 3 * time.Millisecond, LockCycles: 25,

		Transition: Transition{Stall: 2 * time.Microsecond},
		Counters:   PMU{Exact: true},
		Power:      haswell(),
		RAPL:       haswellRAPL(),
	}
}

// haswell returns the power of a quad-core 22 nm processor with 4 MB of shared cache and two DIMMs
// of two ranks of DDR3-1600.
//
// The voltages are the seven points of Table 2. The rest is chosen event by event, so that the sum
// agrees with models and meters of such parts. TestShares measures what follows:
//
//   - An instruction costs 1.1 nJ at 1.07 V with fetch, scheduling, register file, first-level
//     caches and failed speculation; a cycle of the clock 0.9 nJ. At 4 GHz and 2 instructions per
//     cycle that is 12.4 W per core, 29 % of it clock: McPAT has the clock network at a quarter to
//     a third of a core's dynamic power.
//   - Gating saves half of the clock's energy while the core waits for memory: the schedulers and
//     the clock's upper levels go on. An idle core stops its clock (C1) and keeps its voltage.
//     Power gating (C6) takes longer to enter than the pauses here last, and McPAT's default has
//     none.
//   - A core leaks 3.5 W at 1.07 V and 65 degrees C. The shared cache, the interconnect, the system
//     agent and the memory controller with its pins draw 8 W at any load, at a voltage and a clock
//     of their own. Together that is 32 % of a compute-bound load's power at 4 GHz and 55 % of a
//     memory-bound one's. McPAT-like models of this generation have a quarter to a third under full
//     load. That figure and the clock's share above are remembered, not a run of McPAT.
//   - An access to the shared cache costs 1 nJ with the way over the ring (models of 4 MB with 16
//     ways at 22 nm have 0.5 to 0.8 nJ for the arrays), the lookup in L2 before it 0.3 nJ, and a
//     line 2 nJ in the memory controller (some 4 pJ/bit).
//
// A check against the real part: a review of 2013 measured 64.7 W on a Core i7-4770K's supply with
// all cores loaded, which then run at 3.7 GHz. Here a compute-bound load draws 64.0 W at that
// clock. Vector code reaches the thermal design power of 84 W and more; the simulated programs have
// none.
//
// Two checks against the paper's Figure 14, for work that never waits for memory: the frequency of
// least energy saves 19 % of processor's and memory's energy against 4 GHz (the paper: 20 % for
// sunflow, the most), and 1 GHz costs about as much as 4 GHz (the paper: more for some programs, 5
// % less on average).
//
// Heat: 0.35 K/W from the die to the lid and 44 degrees C there; the die follows in some 20 ms.
// Leakage grows e-fold in 40 K, or doubles in 28.
func haswell() Power {
	return Power{
		Voltages: []VoltagePoint{ // Table 2
			{Frequency: 1 * ghz, Volts: 0.737},
			{Frequency: 1500 * mhz, Volts: 0.791},
			{Frequency: 2 * ghz, Volts: 0.845},
			{Frequency: 2500 * mhz, Volts: 0.899},
			{Frequency: 3 * ghz, Volts: 0.958},
			{Frequency: 3500 * mhz, Volts: 1.012},
			{Frequency: 4 * ghz, Volts: 1.07},
		},
		Core: CorePower{Instruction: 1.1, Cycle: 0.9, Gated: 0.5, L2: 0.3, Idle: 0.05,
			Static: 3.5, DIBL: 2.1},
		Uncore: UncorePower{Static: 8, L3: 1, Line: 2},
		Memory: ddr3(4),
		Heat: Heat{Ambient: 44, Resistance: 0.35, Reference: 65, Fold: 40,
			Constant: 0.02},
	}
}

// haswellRAPL: client Haswell counts package, cores and memory (platform.toml), in units of 2^-14 J
// (61 uJ) and 32 bits, updated about every millisecond. Counters that measure at the voltage
// regulators, as Haswell-EP's do, are near the truth. The 5 % error of memory's and the 1 % of
// noise are chosen.
func haswellRAPL() RAPL {
	return RAPL{
		Zones:  []string{"package", "core", "dram"},
		Jitter: 50 * time.Microsecond, Unit: 1.0 / (1 << 14), Bits: 32,
		Noise: 0.01, Gain: map[string]float64{"dram": 1.05},
	}
}
