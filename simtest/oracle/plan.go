package oracle

import "math"

// Plan is a schedule of one state per chunk.
type Plan struct {
	Schedule   []int
	Time, Cost float64 // ns and nJ, as the problem adds them up
	// Bound is what no schedule within the deadline can cost less than (Lagrangian dual), so
	// Cost-Bound is at most how much the schedule falls short of the best one.
	Bound float64
	// Price is what a ns more of deadline would save, in nJ.
	Price float64
	// Feasible says whether the deadline is met. If no schedule meets it, the plan is the fastest.
	Feasible bool
	// Exact says that nothing was left out of the search: the schedule is the best one.
	Exact bool
}

// Gap is the part of the plan's cost by which a better schedule could be cheaper.
func (p *Plan) Gap() float64 {
	if p.Cost <= 0 {
		return 0
	}
	return max(0, (p.Cost-p.Bound)/p.Cost)
}

// DefaultWidth is how many labels the search keeps per state. Plans of hundreds of chunks and 25
// states come to within some 1e-5 of the bound with it.
const DefaultWidth = 48

// Solve finds the cheapest schedule within the deadline: first by Lagrangian relaxation, which
// gives the bound and a schedule close to it, then by search for what the relaxation cannot reach,
// because it knows only schedules on the convex hull of time and cost. The constant schedules are
// among the candidates, so a plan is never worse than the best of them.
func Solve(p *Problem, width int) (*Plan, error) {
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
		if t, c := p.Total(constant); p.feasible(t) && c < cost {
			best, cost = constant, c
		}
	}
	var quick togo
	quick.solve(p, 0, 1)
	fastest := quick.schedule()
	if best == nil {
		t, c := p.Total(fastest)
		if !p.feasible(t) {
			return &Plan{Schedule: fastest, Time: t, Cost: c, Bound: c}, nil
		}
		best, cost = fastest, c
	}
	q := search{p: p, width: max(width, 1), best: cost, lambda: r.lambda}
	if found := q.run(); found != nil {
		best = found
	}
	out := &Plan{Schedule: best, Feasible: true, Price: r.lambda, Exact: !q.thin}
	out.Time, out.Cost = p.Total(best)
	out.Bound = math.Min(r.bound, out.Cost)
	if out.Exact {
		out.Bound = out.Cost
	}
	return out, nil
}
