package simtest

// storeQueue is a core's store queue as a fluid. Stores flow in as the core retires them and out as
// they are written; a line outside the core's caches takes memory's latency. While the queue is
// full, the core runs at the pace of the drain.
type storeQueue struct {
	level   float64 // entries in use, from 0 to the profile's StoreEntries
	inflow  float64 // entries of the whole segment
	full    bool
	fullAt  ps      // time at which the queue is full at the present rates, or never
	flow    float64 // change of level in entries per ns; 0 while full
	entryNs float64 // latest time for one entry to drain; 0 if unknown
}

func (q *storeQueue) entries(n float64) { q.inflow = n }

// setFlow computes how the level moves if the core's segment takes free ns without a full queue and
// its stores take drain ns. It returns the time that the segment takes.
func (q *storeQueue) setFlow(free, drain, capacity float64, now ps) (takes float64) {
	q.fullAt = never
	switch {
	case q.inflow <= 0:
		q.full = false
		q.flow = 0
		if q.level > 0 && q.entryNs > 0 {
			q.flow = -1 / q.entryNs
		}
		return free
	case drain > free:
		q.entryNs = drain / q.inflow
		if q.full {
			q.flow = 0
			return drain
		}
		q.flow = q.inflow * (1/free - 1/drain)
		q.fullAt = now + nsToPS((capacity-q.level)/q.flow)
		return free
	default:
		q.full = false
		q.entryNs = max(drain, 0) / q.inflow
		q.flow = 0
		if q.level > 0 && drain > 0 {
			q.flow = q.inflow * (1/free - 1/drain)
		} else if drain <= 0 {
			q.level = 0
		}
		return free
	}
}

// pass lets ns go by.
func (q *storeQueue) pass(ns, capacity float64) {
	if q.flow == 0 {
		return
	}
	q.level += q.flow * ns
	if q.level < 0 {
		q.level = 0
	} else if q.level > capacity {
		q.level = capacity
	}
}

// empty sets the queue to its state after a switch of threads, which waits for the drain.
func (q *storeQueue) empty() { *q = storeQueue{fullAt: never} }
