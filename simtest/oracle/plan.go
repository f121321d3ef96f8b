package oracle

import "math"

// plan is a schedule of one state per chunk.
type plan struct {
	Schedule   []int
	Time, Cost float64 // ns and nJ, as the problem adds them up
	// Bound is a lower bound for the cost of any schedule within the deadline (the Lagrangian
	// dual). The best schedule is at most Cost - Bound cheaper.
	Bound float64
	// Price is the energy, in nJ, that one more ns of deadline would save.
	Price float64
	// Feasible: the schedule meets the deadline. If none does, the plan is the fastest schedule.
	Feasible bool
	// Exact: the search left nothing out, so the schedule is the best one.
	Exact bool
}

// defaultWidth is the number of labels that the search keeps per state. It brings plans of hundreds
// of chunks and 25 states to within some 1e-5 of the bound.
const defaultWidth = 48

// solve finds the cheapest schedule within the deadline. Lagrangian relaxation gives the bound and
// a schedule close to it. It only finds schedules on the convex hull of time and cost, so a search
// looks for the others. The constant schedules are candidates as well, so a plan is never worse
// than the best of them.
func solve(p *problem, width int) (*plan, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	r := relax(p)
	best, cost := r.schedule, r.cost
	for s := range p.Time[0] {
		constant := make([]int, len(p.Time))
		for i := range constant {
			constant[i] = s
		}
		if t, c := p.total(constant); p.feasible(t) && c < cost {
			best, cost = constant, c
		}
	}
	var quick togo
	quick.solve(p, 0, 1)
	fastest := quick.schedule()
	if best == nil {
		t, c := p.total(fastest)
		if !p.feasible(t) {
			return &plan{Schedule: fastest, Time: t, Cost: c, Bound: c}, nil
		}
		best, cost = fastest, c
	}
	q := search{p: p, width: max(width, 1), best: cost, lambda: r.lambda}
	if found := q.run(); found != nil {
		best = found
	}
	out := &plan{Schedule: best, Feasible: true, Price: r.lambda, Exact: !q.thin}
	out.Time, out.Cost = p.total(best)
	out.Bound = math.Min(r.bound, out.Cost)
	if out.Exact {
		out.Bound = out.Cost
	}
	return out, nil
}
