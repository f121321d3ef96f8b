package oracle

import (
	"cmp"
	"math"
	"slices"
)

// label is one way to have done the chunks up to some chunk that ends at some state: what it took,
// and the label of the chunk before that it goes on from.
type label struct {
	time, cost float64
	from       int32 // state of the chunk before
	parent     int32 // index of the label of that chunk and state
}

// search looks for a schedule cheaper than the best one known. It is dynamic programming over the
// chunks: per chunk and state it keeps the labels that no other beats in both time and cost. Two
// lower bounds discard most labels: the remaining work takes at least the time of the fastest way
// on, and costs at least what the relaxation says. At most width labels are kept per state, spread
// over the times that occur; as long as fewer remain the search is exact.
type search struct {
	p      *problem
	width  int
	best   float64 // cost to beat
	lambda float64
	price  togo // least weighted sum at price lambda
	quick  togo // least time
	fronts [][][]label
	thin   bool // labels were left out for width
}

// run gives the schedule found, or nil when none beats best.
func (q *search) run() []int {
	p := q.p
	n, states := len(p.Time), len(p.Time[0])
	q.price.solve(p, 1, q.lambda)
	q.quick.solve(p, 0, 1)
	q.fronts = make([][][]label, n)
	var pool []label
	for i := range n {
		q.fronts[i] = make([][]label, states)
		for s := range states {
			pool = pool[:0]
			if i == 0 {
				t, c := p.step(0, p.Switch.First, s)
				pool = q.admit(pool, 0, s, label{time: t, cost: c, from: int32(s), parent: -1})
			} else {
				for from := range states {
					front := q.fronts[i-1][from]
					if len(front) == 0 {
						continue
					}
					t, c := p.step(i, from, s)
					for k := range front {
						pool = q.admit(pool, i, s, label{front[k].time + t, front[k].cost + c,
							int32(from), int32(k)})
					}
				}
			}
			q.fronts[i][s] = q.keep(pool)
		}
	}
	last, which := -1, -1
	for s, front := range q.fronts[n-1] {
		for k := range front {
			if front[k].cost < q.best {
				q.best, last, which = front[k].cost, s, k
			}
		}
	}
	if last < 0 {
		return nil
	}
	out := make([]int, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = last
		l := q.fronts[i][last][which]
		last, which = int(l.from), int(l.parent)
	}
	return out
}

// admit appends l, a label of chunk i at state s, unless no completion of it can be within the
// deadline and cheaper than the best known.
func (q *search) admit(pool []label, i, s int, l label) []label {
	if !q.p.feasible(l.time + q.quick.after[i][s]) {
		return pool
	}
	bound := l.cost + q.price.after[i][s]
	if q.lambda > 0 {
		bound += q.lambda * (l.time - q.p.Deadline)
	}
	if bound >= q.best {
		return pool
	}
	return append(pool, l)
}

// keep gives a copy of the labels that no other beats, at most width of them.
func (q *search) keep(pool []label) []label {
	slices.SortFunc(pool, func(a, b label) int {
		if c := cmp.Compare(a.time, b.time); c != 0 {
			return c
		}
		return cmp.Compare(a.cost, b.cost)
	})
	front := pool[:0]
	least := math.Inf(1)
	for _, l := range pool {
		if l.cost < least {
			least = l.cost
			front = append(front, l)
		}
	}
	if len(front) <= q.width {
		return slices.Clone(front)
	}
	q.thin = true
	return q.spread(front)
}

// spread cuts the time between the first and last label into width parts and keeps in each the
// label that promises most, which is the one of least cost with time at its price.
func (q *search) spread(front []label) []label {
	out := make([]label, 0, q.width)
	begin := front[0].time
	scale := float64(q.width) / (front[len(front)-1].time - begin)
	at := -1
	for _, l := range front {
		part := min(int((l.time-begin)*scale), q.width-1)
		if part != at {
			at = part
			out = append(out, l)
		} else if kept := &out[len(out)-1]; l.cost+q.lambda*l.time < kept.cost+q.lambda*kept.time {
			*kept = l
		}
	}
	return out
}
