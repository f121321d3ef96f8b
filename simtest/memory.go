package simtest

// memory is the shared path to DRAM.
type memory struct {
	wait float64 // ns that the queue adds to each access; not negative
}

// solve finds the queue's wait that fits the cores' speeds, which depend on the wait.
//
// If each line takes S and lines arrive at random at rate r, the load is rho = r S and the wait S
// rho/(1 - rho): row hits and misses, busy banks and refresh make service times vary as much as the
// exponential distribution. Faster cores make the wait longer, and a longer wait makes the cores
// slower. Written as r(w) S = w/(w + S), the left side falls with the wait w and the right one
// rises, so there is one solution, and the cores cannot ask for more than memory gives.
func (m *Computer) solve() float64 {
	m.movers = m.movers[:0]
	for _, c := range m.cores {
		if c.t != nil && c.fixed.moves() {
			m.movers = append(m.movers, c)
		}
	}
	if len(m.movers) == 0 {
		return 0
	}
	// Newton's method in rho starts from the last solution and stays between bounds. With w = S
	// rho/(1 - rho), r(w) S is nearly a straight line in rho.
	s := m.profile.LineNs
	lo, hi, full := 0.0, maxLoad, false
	rho := m.memory.wait / (m.memory.wait + s)
	for range maxIterations {
		idle := 1 - rho
		w := s * rho / idle
		lines, slope := m.linesAt(w)
		f := lines*s - rho
		switch {
		case f > loadPrecision:
			lo = rho
		case f < -loadPrecision:
			hi = rho
		default:
			return w
		}
		if hi-lo < loadPrecision {
			break
		}
		rho -= f / (slope*s*s/(idle*idle) - 1)
		switch {
		case rho >= hi && hi == maxLoad && !full:
			rho, full = hi, true // memory may be busy all the time
		case rho <= lo || rho >= hi:
			rho = (lo + hi) / 2
		}
	}
	return s * rho / (1 - rho)
}

const (
	// maxLoad bounds the search: memory's queue is never longer than 400 lines.
	maxLoad = 400.0 / 401
	// loadPrecision is the largest difference between the load of the cores' speeds and that of the
	// wait.
	loadPrecision = 1e-6
	maxIterations = 60
)

// linesAt returns the number of lines per ns that all cores move if memory's queue adds wait to
// each, and its slope over the wait.
func (m *Computer) linesAt(wait float64) (lines, slope float64) {
	for _, c := range m.movers {
		f := &c.fixed
		ns, per := f.free(wait)
		drain, perDrain := ns, per
		if f.stored > 0 {
			if d := f.drain(wait); d > ns {
				drain, perDrain = d, f.storePer
			}
			if c.store.full {
				ns, per = drain, perDrain
			}
			// Memory sees stores as they leave the queue.
			l := f.stored / drain
			lines += l
			slope -= l / drain * perDrain
		}
		l := f.loaded / ns
		lines += l
		slope -= l / ns * per
	}
	return lines, slope
}
