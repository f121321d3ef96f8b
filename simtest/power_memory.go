package simtest

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// MemoryPower is what DRAM draws: a background that depends on what state the ranks are in, and so
// much per access.
type MemoryPower struct {
	Ranks int

	// Of one rank, with its refresh: powered down, standing by with all rows closed, standing by
	// with a row open.
	PowerDown, Standby, Active units.Power
	// Timeout is how long a rank waits without access before it is powered down.
	Timeout time.Duration
	// Open is how long an access that is no row hit keeps a row open.
	Open time.Duration

	Activate    float64 // nJ: opening and closing a row
	Read, Write float64 // nJ: moving one line, with drivers and termination
	RowHits     float64 // share of accesses that find their row open
}

// ddr3 is that many ranks of DDR3-1600 with eight 4 Gb devices of eight bits each, by the currents
// in the first data sheet of Micron's MT41J512M8 at 1.5 V, which architecture simulators use too:
// IDD0 75 mA, IDD2N 50, IDD3N 57, IDD4R 187, IDD4W 165, IDD5 220; tRAS 35 ns, tRP 13.75 ns, tRFC
// 260 ns, tREFI 7.8 us. (Later revisions of the part take a third less.) The formulas are those of
// Micron's technical note TN-41-01:
//
//   - standby 8 * 1.5 V * 50 mA = 600 mW, active standby 684 mW, powered down 30 mA (fast exit) 360 mW, each with refresh,
//     which adds 8 * 1.5 V * (220 - 57) mA * 260 ns / 7.8 us = 65 mW;
//   - a row: 8 * 1.5 V * (75 mA * 48.75 ns - 57 mA * 35 ns - 50 mA * 13.75 ns) = 11.7 nJ;
//   - a burst of eight in 5 ns: read 8 * 1.5 V * (187 - 57) mA * 5 ns = 7.8 nJ, write with 165 mA 6.5 nJ. Drivers and
//     termination on 64 data and 16 strobe lines take some 10 to 15 mW a line while they are driven: 4 nJ for reads, 6 nJ
//     for writes, which the ranks that are not written terminate too.
//
// The power-down current, the termination's power and the share of row hits are from memory or
// chosen, the rest is arithmetic on the data sheet.
func ddr3(ranks int) MemoryPower {
	return MemoryPower{
		Ranks: ranks, PowerDown: 0.425, Standby: 0.665, Active: 0.749, Timeout: time.Microsecond, Open: 49 * time.Nanosecond,
		Activate: 11.7, Read: 11.8, Write: 12.5, RowHits: 0.5,
	}
}

// Background is the power of all ranks when lines come at rate a ns, at random times and evenly
// over the ranks.
func (m *MemoryPower) Background(rate float64) units.Power {
	perRank := max(rate, 0) / float64(m.Ranks)
	// Gaps between accesses that come at random are exponentially distributed. The time beyond the
	// timeout in them is this share of all time.
	down := math.Exp(-perRank * float64(m.Timeout))
	open := 1 - math.Exp(-perRank*(1-m.RowHits)*float64(m.Open))
	open = min(open, 1-down)
	w := float64(m.PowerDown)*down + float64(m.Active)*open + float64(m.Standby)*(1-down-open)
	return units.Power(w * float64(m.Ranks))
}

// Access is the power of lines read and written at these rates a ns. A nJ per ns is a W.
func (m *MemoryPower) Access(reads, writes float64) units.Power {
	row := m.Activate * (1 - m.RowHits)
	return units.Power(reads*(m.Read+row) + writes*(m.Write+row))
}
