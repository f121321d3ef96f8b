package hardware

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profiles returns all machines.
func Profiles() []Profile {
	return []Profile{paper(), paper500(), haswellEP(), rome(), hwp(), leaky()}
}

// ByName finds a machine. Those of Hidden are called hidden-N, for any N.
func ByName(name string) (Profile, error) {
	if seed, ok := strings.CutPrefix(name, hiddenPrefix); ok {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return Profile{}, fmt.Errorf("machine profile %q: %q is no seed", name, seed)
		}
		return Hidden(n), nil
	}
	var names []string
	for _, p := range Profiles() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Profile{}, fmt.Errorf("no machine profile %q; there are %s, and %sN with a seed N", name,
		strings.Join(names, ", "), hiddenPrefix)
}

// paper500 returns the paper's machine with states every 500 MHz: seven, as in the paper's Figures
// 10 and 11.
func paper500() Profile {
	p := paper().WithStep(500 * mhz)
	p.Name, p.What = "paper-500", "the paper's machine with steps of 500 MHz"
	return p
}

// Idle cores of real machines are power-gated. Linux has 300 us as the residency from which C6 pays
// on Haswell (the table of its intel_idle driver, as remembered), and some of the leakage stays.
const (
	gateAfter = 300 * time.Microsecond
	gatedLeak = 0.1
)

// haswellEP returns a server of 2014 that samples frequency requests only about every 500 us: the
// power control unit's opportunities. From a request to the change 21 to 524 us were measured,
// evenly spread (Hackenberg et al. 2015). Its stall of some 10 us at a change is the order of a
// clock generator's relock, not a published figure. The profile has four of its cores, with their
// share of cache and memory: 2.5 MB and 5 GB/s per core.
//
// Its counters bracket the non-scaling time. RAPL has a fixed 15.3 uJ unit for memory, which the
// profile uses for all zones.
func haswellEP() Profile {
	p := paper()
	p.Name, p.What = "haswell-ep", "a server that samples frequency requests every 500 us"
	p.States = steps(1200*mhz, 3*ghz, 100*mhz)
	p.ROB, p.StoreEntries = 192, 42
	p.L3Ns, p.DRAMNs, p.LineNs, p.TransferNs = 21, 62, 64.0/20, 24
	p.Transition = Transition{Grid: 500 * time.Microsecond, Latency: 21 * time.Microsecond,
		Jitter: 3 * time.Microsecond, Stall: 10 * time.Microsecond}
	p.Counters = PMU{Names: intelCounters}
	// The same cores at a server's lower voltages; more cache, two channels and the share of a
	// larger uncore.
	p.Power.Voltages = []VoltagePoint{
		{Frequency: 1200 * mhz, Volts: 0.72}, {Frequency: 1800 * mhz, Volts: 0.79},
		{Frequency: 2400 * mhz, Volts: 0.87}, {Frequency: 3 * ghz, Volts: 0.97}}
	p.Power.Core.Instruction, p.Power.Core.Cycle, p.Power.Core.Static = 1.0, 0.75, 2.2
	p.Power.Core.SleepAfter, p.Power.Core.Asleep = gateAfter, gatedLeak
	p.Power.Uncore.Static = 9
	p.Power.Memory = ddr3(4)
	p.RAPL.Unit = 1.0 / (1 << 16)
	p.RAPL.Gain = nil
	return p
}

// rome returns AMD's Zen 2 server: three states, and changes in slots of 1 ms. Measured over all
// six pairs of states: median 851 to 902 us, 5 % below 404 to 451, 95 % below 1312 to 1355, 99 %
// below 1354 to 1395 (raw data of Schoene et al. 2021). A wait that is evenly spread over a slot,
// and 378 us more, gives 428, 878, 1328 and 1368.
//
// On the real part the shared cache runs with the cores' clock; the simulated one never does. RAPL
// has the package only, in counts of 2^-16 J. It is an estimate, not a measurement.
func rome() Profile {
	p := paper()
	p.Name, p.What = "rome", "a server with three states and changes in slots of 1 ms"
	p.States = steps(1500*mhz, 2500*mhz, 1000*mhz)
	p.States = append(p.States[:1], 2200*mhz, 2500*mhz)
	p.ROB, p.StoreEntries, p.MissParallel = 224, 48, 16
	p.L3Ns, p.DRAMNs, p.LineNs, p.TransferNs = 12, 82, 64.0/24, 18
	p.Transition = Transition{Grid: time.Millisecond, Latency: 378 * time.Microsecond,
		Stall: 10 * time.Microsecond}
	p.Counters = PMU{Names: intelCounters}
	// A 7 nm core at low clocks beside an I/O die that draws much at any load.
	p.Power.Voltages = []VoltagePoint{{Frequency: 1500 * mhz, Volts: 0.8},
		{Frequency: 2200 * mhz, Volts: 0.9}, {Frequency: 2500 * mhz, Volts: 0.96}}
	p.Power.Core.Instruction, p.Power.Core.Cycle, p.Power.Core.Static = 0.55, 0.4, 0.7
	p.Power.Core.SleepAfter, p.Power.Core.Asleep = gateAfter, gatedLeak
	p.Power.Uncore.Static = 6
	p.Power.Memory = ddr3(4)
	p.RAPL.Zones, p.RAPL.Unit, p.RAPL.Noise = []string{"package"}, 1.0/(1<<16), 0.03
	p.RAPL.Gain = map[string]float64{"package": 0.93}
	return p
}

// hwp returns a desktop part whose hardware manages the clock. A written target frequency is only a
// floor (before Linux 6.17), while equal lower and upper bounds hold. The clock takes some 5 ms
// from one end of its range to the other (measured on Alder Lake at 5 ms). The kernel queues a
// change of the bounds for a worker; the profile assumes 50 to 150 us for that.
func hwp() Profile {
	p := paper()
	p.Name = "hwp"
	p.What = "a desktop part that treats a written frequency as a floor and ramps in 5 ms"
	p.States = steps(800*mhz, 4800*mhz, 200*mhz)
	p.ROB, p.StoreEntries, p.MissParallel = 352, 72, 14
	p.LineNs = 64.0 / 36
	p.Transition = Transition{Latency: 50 * time.Microsecond, Jitter: 100 * time.Microsecond,
		Ramp: 5 * time.Millisecond, Floor: true}
	p.Counters = PMU{Names: intelCounters}
	p.Power.Voltages = []VoltagePoint{
		{Frequency: 800 * mhz, Volts: 0.70}, {Frequency: 2 * ghz, Volts: 0.80},
		{Frequency: 3 * ghz, Volts: 0.92}, {Frequency: 4 * ghz, Volts: 1.10},
		{Frequency: 4800 * mhz, Volts: 1.30}}
	p.Power.Core.Instruction, p.Power.Core.Cycle, p.Power.Core.Static = 1.3, 1.0, 3
	p.Power.Core.SleepAfter, p.Power.Core.Asleep = gateAfter, gatedLeak
	p.Power.Uncore.Static = 7
	p.RAPL.Zones, p.RAPL.Platform = []string{"package", "core", "psys"}, 15
	return p
}

// leaky returns a part on which a lower clock costs energy: old, hot, or with power-hungry
// surroundings. Its voltage hardly falls with the clock, as on parts with a high lowest voltage, so
// neither switching nor leakage becomes much cheaper; and the parts that are always on draw more
// than the cores. A governor that slows down to save energy loses here.
func leaky() Profile {
	p := paper()
	p.Name = "leaky"
	p.What = "a part with so much static power that lower frequencies cost energy"
	p.Power.Voltages = []VoltagePoint{
		{Frequency: 1 * ghz, Volts: 0.98}, {Frequency: 2 * ghz, Volts: 1.0},
		{Frequency: 3 * ghz, Volts: 1.03}, {Frequency: 4 * ghz, Volts: 1.07}}
	p.Power.Core.Static = 5
	p.Power.Uncore.Static = 40
	p.Power.Heat.Ambient = 60
	p.Power.Heat.Resistance = 0.1
	p.Counters = PMU{Names: intelCounters}
	return p
}
