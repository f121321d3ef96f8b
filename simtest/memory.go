package simtest

// memory is the shared path to DRAM.
type memory struct {
	wait float64 // ns that its queue adds to each access
}

// maxWait bounds the search: memory's queue is never longer than this many lines.
const maxWait = 400

// solve finds the queue's wait that fits the cores' speeds, which depend on it.
//
// With each line taking S and arriving at random at rate r, the load is rho = r S and the wait S rho/(1 - rho): service
// times vary as much as the exponential distribution, for rows hit and missed, banks busy and refresh. The faster the cores,
// the longer the wait, and the longer the wait, the slower the cores. Written as r(w) S = w/(w + S), the left side falls
// with the wait w and the right one rises, so there is one solution; the cores can not ask for more than memory gives.
func (m *Machine) solve() float64 {
	m.movers = m.movers[:0]
	for _, c := range m.cores {
		if c.t != nil && c.fixed.lines > 0 {
			m.movers = append(m.movers, c)
		}
	}
	if len(m.movers) == 0 {
		return 0
	}
	// Newton's method from the last solution, between bounds. What is to be 0 falls and is convex, so that a step from below
	// the solution never leads beyond it.
	s := m.profile.LineNs
	lo, hi := 0.0, maxWait*s
	w := m.memory.wait
	for range 60 {
		lines, slope := m.linesAt(w)
		f := lines*s - w/(w+s)
		switch {
		case f > waitPrecision:
			lo = w
		case f < -waitPrecision:
			hi = w
		default:
			return w
		}
		if w == hi {
			w = lo
			continue
		}
		w -= f / (slope*s - s/((w+s)*(w+s)))
		if w >= hi {
			w = (lo + hi) / 2
			if hi-lo < s*waitPrecision {
				return hi // memory is busy all the time
			}
		} else if w < lo {
			w = lo
		}
	}
	return w
}

// waitPrecision is how exactly load and wait must fit each other.
const waitPrecision = 1e-5

// linesAt is how many lines per ns all cores move when memory's queue adds wait to each, and by how much that changes with
// the wait.
func (m *Machine) linesAt(wait float64) (lines, slope float64) {
	for _, c := range m.movers {
		f := &c.fixed
		ns, per := f.free(wait)
		if c.store.full {
			if d := f.drain(wait); d > ns {
				ns, per = d, f.storePer
			}
		}
		l := f.lines / ns
		lines += l
		slope -= l / ns * per
	}
	return lines, slope
}
