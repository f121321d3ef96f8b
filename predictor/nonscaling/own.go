package nonscaling

import "github.com/ebb-energy/ebb/hpc"

// ownLimit finds the share of the time with a full store queue in which the core would be no faster
// if its stores drained at once: the queue is full of stores that wait for their turn to retire,
// behind work that takes long. There are two witnesses, and the lesser is believed. A queue that is
// full while no store is outstanding beyond the core's clock domain is the core's own: it is taken
// to be full as often while one is. And a full queue that does not stop renaming holds nothing up.
type ownLimit struct{ full int } // column; -1 without the rule

func newOwnLimit(c Columns, without Rules) ownLimit {
	if without&OwnLimit != 0 {
		return ownLimit{-1}
	}
	return ownLimit{c.Index(hpc.SQFull)}
}

// share returns the share in the row v of length dur. For the time draining of it the queue was
// full while a store was outstanding beyond the core, and for held renaming was stopped.
func (o *ownLimit) share(v []int64, dur, draining, held int64) float64 {
	if o.full < 0 || draining <= 0 {
		return 0
	}
	undrained := v[o.full] - draining
	if undrained <= 0 || dur <= draining {
		return 0
	}
	// In some of the rest a store is outstanding too, so that this is the least.
	often := float64(undrained) / float64(dur-draining)
	return max(min(often, 1-float64(held)/float64(draining)), 0)
}

// working returns the part of the time held, in which renaming was stopped by a full queue, that
// was the core's own work: the share own of the time in which instructions were in flight, but for
// what follows each line that the queue is rid of. Then as many stores enter an empty core as the
// line had, one a cycle, and leave it after the pipeline's length.
func (m *Latencies) working(held, empty int64, lines, onLine, cycle, own float64) int64 {
	refilled := lines * (m.PipelineCycles + onLine) * cycle
	return int64(max(float64(held-empty)-refilled, 0)*own + 0.5)
}
