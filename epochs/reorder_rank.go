package epochs

import (
	"math"

	"github.com/ebb-energy/ebb/units"
)

// instantRank is the highest rank of a CPU's events at its last instant.
type instantRank struct {
	at   units.Instant
	rank uint8
}

// rank returns the place of ev among the events of its instant, never below that of an earlier one
// of its CPU.
func (r *Reorder) rank(ev *Event, at units.Instant) uint8 {
	rank := kindRank(ev)
	if ev.Kind == Lost || ev.CPU < 0 {
		return rank
	}
	for int(ev.CPU) >= len(r.perCPU) {
		r.perCPU = append(r.perCPU, instantRank{at: math.MinInt64})
	}
	c := &r.perCPU[ev.CPU]
	if c.at == at {
		rank = max(rank, c.rank)
	}
	*c = instantRank{at: at, rank: rank}
	return rank
}

func kindRank(ev *Event) uint8 {
	switch ev.Kind {
	case Lost, Exit:
		return 1
	case Off, Slice:
		if ev.From < ev.At {
			return 2
		}
		return 5
	case Fork, Exec:
		return 3
	default:
		return 4
	}
}
