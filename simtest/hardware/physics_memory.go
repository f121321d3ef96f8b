package hardware

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// MemoryPower is the power of DRAM: a background, which depends on the ranks' states, and an energy
// per access.
type MemoryPower struct {
	Ranks int

	// Of one rank, with its refresh: powered down, standing by with all rows closed, standing by
	// with a row open.
	PowerDown, Standby, Active units.Power
	// Timeout is the time without access after which a rank powers down.
	Timeout time.Duration
	// Open is the time for which an access that misses the open row keeps its row open.
	Open time.Duration

	Activate    float64 // nJ: opening and closing a row
	Read, Write float64 // nJ: moving one line, with drivers and termination
	RowHits     float64 // share of accesses that find their row open
}

// Background returns the power of all ranks when lines arrive at rate per ns, at random times and
// evenly over the ranks.
func (m *MemoryPower) Background(rate float64) units.Power {
	perRank := max(rate, 0) / float64(m.Ranks)
	// Gaps between random accesses are exponentially distributed. The time beyond the timeout in
	// them is this share of all time.
	down := math.Exp(-perRank * float64(m.Timeout))
	open := 1 - math.Exp(-perRank*(1-m.RowHits)*float64(m.Open))
	open = min(open, 1-down)
	w := float64(m.PowerDown)*down + float64(m.Active)*open + float64(m.Standby)*(1-down-open)
	return units.Power(w * float64(m.Ranks))
}

// Access returns the power of reading and writing lines at these rates per ns. One nJ per ns is one
// W.
func (m *MemoryPower) Access(reads, writes float64) units.Power {
	row := m.Activate * (1 - m.RowHits)
	return units.Power(reads*(m.Read+row) + writes*(m.Write+row))
}

// backgroundTable tabulates MemoryPower.Background, whose exponentials would take more time than
// the rest of the meter. Its places are evenly spread over rate / (rate + tableMiddleRate), which
// is 0 for an idle memory and approaches 1.
type backgroundTable []float64

const (
	backgroundPlaces = 513
	// tableMiddleRate is the rate, in lines per ns, in the middle of the table: 0.5 GB/s.
	tableMiddleRate = 0.008
)

func tabulateBackground(p *MemoryPower) backgroundTable {
	t := make(backgroundTable, backgroundPlaces)
	for i := range t {
		x := float64(i) / float64(len(t))
		t[i] = float64(p.Background(tableMiddleRate * x / (1 - x)))
	}
	return t
}

// watts returns the background power at a rate, by interpolation.
func (t backgroundTable) watts(rate float64) float64 {
	rate = max(rate, 0)
	x := rate / (rate + tableMiddleRate) * float64(len(t))
	i := min(int(x), len(t)-2)
	return t[i] + (t[i+1]-t[i])*(x-float64(i))
}
