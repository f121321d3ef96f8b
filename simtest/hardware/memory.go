package hardware

import (
	"time"
)

// ddr3 returns the power of DDR3-1600 with this many ranks of eight 4 Gb devices of eight bits
// each. The currents are from the first data sheet of Micron's MT41J512M8 at 1.5 V, which
// architecture simulators use as well: IDD0 75 mA, IDD2N 50, IDD3N 57, IDD4R 187, IDD4W 165, IDD5
// 220; tRAS 35 ns, tRP 13.75 ns, tRFC 260 ns, tREFI 7.8 us. (Later revisions of the part take a
// third less.) The formulas are from Micron's technical note TN-41-01:
//
//   - standby 8 * 1.5 V * 50 mA = 600 mW, active standby 684 mW, powered down 30 mA (fast exit)
//     360 mW. Refresh adds 8 * 1.5 V * (220 - 57) mA * 260 ns / 7.8 us = 65 mW to each.
//   - a row: 8 * 1.5 V * (75 mA * 48.75 ns - 57 mA * 35 ns - 50 mA * 13.75 ns) = 11.7 nJ.
//   - a burst of eight in 5 ns: a read takes 8 * 1.5 V * (187 - 57) mA * 5 ns = 7.8 nJ, a write
//     with 165 mA 6.5 nJ. While driven, 64 data and 16 strobe lines take some 10 to 15 mW each for
//     drivers and termination: 4 nJ for a read, and 6 nJ for a write, which the other ranks
//     terminate as well.
//
// The power-down current, the termination's power and the share of row hits are remembered or
// chosen values; the rest is arithmetic on the data sheet.
func ddr3(ranks int) MemoryPower {
	return MemoryPower{
		Ranks:     ranks,
		PowerDown: 0.425, Standby: 0.665, Active: 0.749,
		Timeout: time.Microsecond, Open: 49 * time.Nanosecond,
		Activate: 11.7, Read: 11.8, Write: 12.5, RowHits: 0.5,
	}
}
