package simtest

// storeQueue is a core's store queue as a fluid: stores flow in as the core retires them and out as
// they are written, a line that is not in the core's caches after memory's latency. When it is
// full, the core goes at the speed at which it drains.
type storeQueue struct {
	level   float64 // entries in use
	inflow  float64 // entries of the segment
	full    bool
	fullAt  ps
	flow    float64 // entries per ns by which the level changes
	entryNs float64 // an entry's time to drain, as last known
}

func (q *storeQueue) entries(n float64) { q.inflow = n }

// settle finds out how the level moves when the core's segment takes free ns without a full queue
// and its stores take drain. It returns the time that the segment takes.
func (q *storeQueue) settle(free, drain, capacity float64, now ps) (takes float64) {
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

// empty is the queue after a switch of threads, which waits for it to drain.
func (q *storeQueue) empty() { *q = storeQueue{fullAt: never} }
