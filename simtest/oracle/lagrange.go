package oracle

import "math"

// togo holds, for every chunk and the state it ran at, the least weighted sum of what the chunks
// after it add: weight.cost * cost + weight.time * time. With weights 1 and lambda it is the
// Lagrangian of the problem, which needs no memory of the time spent and so is solved exactly by
// one pass per lambda.
type togo struct {
	after [][]float64 // [chunk][state the chunk ran at]
	next  [][]int32   // state of the next chunk
	begin float64     // least weighted sum of the whole, from Switch.First
	first int
}

// weighted is one chunk's weighted sums by state: its own, with all that follows, and the same
// after a change of state, without what the change's lag does.
type weighted struct{ here, stay, change []float64 }

// solve fills g for one pair of weights.
func (g *togo) solve(p *problem, cost, time float64) {
	n, states := len(p.Time), len(p.Time[0])
	if g.after == nil {
		g.after, g.next = make([][]float64, n), make([][]int32, n)
		for i := range n {
			g.after[i], g.next[i] = make([]float64, states), make([]int32, states)
		}
	}
	clear(g.after[n-1])
	lags := make([]float64, states)
	for d := range lags {
		lags[d] = p.lag(0, d)
	}
	w := weighted{make([]float64, states), make([]float64, states), make([]float64, states)}
	for i := n - 1; i >= 0; i-- {
		for s := range states {
			t, c := p.Time[i][s], p.Cost[i][s]
			w.here[s] = cost*c + time*t
			w.stay[s] = w.here[s] + g.after[i][s]
			w.change[s] = w.stay[s] + time*p.Switch.Halt
			if t > 0 {
				w.change[s] += cost * p.Switch.Halt / t * c
			}
		}
		if i == 0 {
			g.begin, g.first = w.first(p, lags)
			return
		}
		w.choose(p.Time[i], lags, g.after[i-1], g.next[i-1])
	}
}

// first chooses the state of the first chunk.
func (w *weighted) first(p *problem, lags []float64) (least float64, state int) {
	if p.Switch.First < 0 {
		return lowest(w.stay)
	}
	values, next := make([]float64, len(w.stay)), make([]int32, len(w.stay))
	w.choose(p.Time[0], lags, values, next)
	return values[p.Switch.First], int(next[p.Switch.First])
}

// choose finds the best state after each state of the chunk before.
func (w *weighted) choose(times, lags, values []float64, next []int32) {
	if lags[len(lags)-1] <= 0 {
		least, which := lowest(w.change)
		for from := range values {
			values[from], next[from] = w.stay[from], int32(from)
			if least < w.stay[from] {
				values[from], next[from] = least, int32(which)
			}
		}
		return
	}
	early := make([]float64, len(lags)) // Problem.early by the distance between the states
	for from := range values {
		for d, lag := range lags {
			early[d] = 1
			if lag < times[from] {
				early[d] = lag / times[from]
			}
		}
		here, best, state := w.here[from], w.stay[from], from
		for s := range from {
			if v := w.change[s] + early[from-s]*(here-w.here[s]); v < best {
				best, state = v, s
			}
		}
		for s := from + 1; s < len(values); s++ {
			if v := w.change[s] + early[s-from]*(here-w.here[s]); v < best {
				best, state = v, s
			}
		}
		values[from], next[from] = best, int32(state)
	}
}

func lowest(values []float64) (least float64, which int) {
	least = values[0]
	for i, v := range values {
		if v < least {
			least, which = v, i
		}
	}
	return least, which
}

// schedule returns the choice of least weighted sum.
func (g *togo) schedule() []int {
	out := make([]int, len(g.after))
	s := g.first
	for i := range out {
		out[i] = s
		s = int(g.next[i][s])
	}
	return out
}

// relaxed is the outcome of the Lagrangian relaxation.
type relaxed struct {
	lambda   float64 // price of time, nJ per ns, at which the bound is highest
	bound    float64 // no schedule that meets the deadline costs less
	schedule []int   // cheapest schedule found that meets the deadline; nil if none does
	cost     float64 // cost of schedule
}

// relax finds the price of time at which the relaxation's schedule is just about within the
// deadline. The bound is the dual's value there; the dual is concave in the price, so bisection
// finds its top.
func relax(p *problem) relaxed {
	var g togo
	r := relaxed{bound: math.Inf(-1), cost: math.Inf(1)}
	try := func(lambda float64) (fits bool) {
		g.solve(p, 1, lambda)
		s := g.schedule()
		t, c := p.total(s)
		if fits = p.feasible(t); fits && c < r.cost {
			r.schedule, r.cost = s, c
		}
		bound := g.begin
		if lambda > 0 {
			bound -= lambda * p.Deadline
		}
		if bound > r.bound {
			r.bound, r.lambda = bound, lambda
		}
		return fits
	}
	if try(0) || math.IsInf(p.Deadline, 1) {
		return r
	}
	low, high := 0.0, 1.0 // nJ per ns, which is W
	for ; !try(high); high *= 4 {
		if high > 1e9 { // no price makes it fit, so even the fastest does not
			return r
		}
		low = high
	}
	for high-low > 1e-8*high && high > 1e-12 {
		if mid := (low + high) / 2; try(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return r
}
