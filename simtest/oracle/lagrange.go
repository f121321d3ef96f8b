package oracle

import "math"

// togo holds, for every chunk and the state it ran at, the least weighted sum of what the chunks after it add:
// weight.cost * cost + weight.time * time. With weights 1 and lambda it is the Lagrangian of the problem, which needs no
// memory of the time spent and so is solved exactly by one pass per lambda.
type togo struct {
	after [][]float64 // [chunk][state the chunk ran at]
	next  [][]int32   // the state of the next chunk
	begin float64     // of the whole, from Switch.First
	first int
}

// solve fills g for one pair of weights.
func (g *togo) solve(p *Problem, cost, time float64) {
	n, states := len(p.Time), len(p.Time[0])
	if g.after == nil {
		g.after, g.next = make([][]float64, n), make([][]int32, n)
		for i := range n {
			g.after[i], g.next[i] = make([]float64, states), make([]int32, states)
		}
	}
	clear(g.after[n-1])
	stay, here := make([]float64, states), make([]float64, states)
	for i := n - 1; i >= 0; i-- {
		for s := range states {
			t, c := p.Time[i][s], p.Cost[i][s]
			here[s] = cost*c + time*t
			stay[s] = here[s] + g.after[i][s]
		}
		if i == 0 {
			g.begin, g.first = g.best(p, 0, p.Switch.First, here, stay, cost, time)
			return
		}
		for from := range states {
			v, s := g.best(p, i, from, here, stay, cost, time)
			g.after[i-1][from], g.next[i-1][from] = v, int32(s)
		}
	}
}

// best chooses the state of chunk i after from. here[s] is the weighted sum of chunk i at s, stay[s] with all that follows.
func (g *togo) best(p *Problem, i, from int, here, stay []float64, cost, time float64) (float64, int) {
	least, which := math.Inf(1), 0
	if from < 0 {
		for s, v := range stay {
			if v < least {
				least, which = v, s
			}
		}
		return least, which
	}
	least, which = stay[from], from
	for s, v := range stay {
		if s == from {
			continue
		}
		v += p.early(i, from, s) * (here[from] - here[s])
		if p.Switch.Halt > 0 {
			v += time * p.Switch.Halt
			if t := p.Time[i][s]; t > 0 {
				v += cost * p.Switch.Halt / t * p.Cost[i][s]
			}
		}
		if v < least {
			least, which = v, s
		}
	}
	return least, which
}

// schedule is the choice of least weighted sum.
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
	lambda   float64 // the price of time, nJ per ns, at which the bound is highest
	bound    float64 // no schedule that meets the deadline costs less
	schedule []int   // the cheapest found that meets the deadline; nil if none does
	cost     float64 // its cost
}

// relax finds the price of time at which the relaxation's schedule is just about within the deadline. The bound is the
// dual's value there; the dual is concave in the price, so bisection finds its top.
func relax(p *Problem) relaxed {
	var g togo
	r := relaxed{bound: math.Inf(-1), cost: math.Inf(1)}
	try := func(lambda float64) (fits bool) {
		g.solve(p, 1, lambda)
		s := g.schedule()
		t, c := p.Total(s)
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
	for range 60 {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if try(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return r
}
