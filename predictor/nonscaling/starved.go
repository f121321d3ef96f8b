package nonscaling

// starved finds the time for which a core waits for instructions from beyond its clock domain.
// Some processors count that time. Others count the cycles in which no instruction is in flight at
// all: those also follow a mispredicted branch, which costs cycles of the core and is bounded by
// the number of instructions, and a full store queue that blocks renaming, which is counted.
type starved struct {
	fetch, empty, blocked, insts int // columns; -1 for those that are not there
	// refill is the time for each instruction, in the columns' unit, for which mispredictions are
	// taken to empty the core.
	refill float64
}

// fetchColumns names the columns; "" for those that are not counted.
type fetchColumns struct{ waited, empty, insts string }

func newStarved(c Columns, names *bracketColumns) *starved {
	return &starved{fetch: c.Index(names.fetch.waited), empty: c.Index(names.fetch.empty),
		blocked: c.Index(names.full), insts: c.Index(names.fetch.insts)}
}

// of returns the time waited in the row v; 0 where it is not counted.
func (s *starved) of(v []int64) int64 {
	switch {
	case s == nil:
		return 0
	case s.fetch >= 0:
		return max(v[s.fetch], 0)
	case s.empty < 0 || s.insts < 0 || s.refill <= 0:
		return 0
	}
	waited := v[s.empty] - int64(s.refill*float64(v[s.insts]))
	if s.blocked >= 0 {
		waited -= v[s.blocked]
	}
	return max(waited, 0)
}
