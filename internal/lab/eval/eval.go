package eval

import "context"

// Result is a finished evaluation.
type Result struct {
	Settings Settings
	Rows     []Row
	Criteria []Criterion
	sections []section
	runs     int
	machine  machineFacts
}

// Progress is called, from several goroutines, with the number of finished runs and of all.
type Progress func(done, of int)

// Evaluate makes the runs that the settings' figures need, several at a time, and draws the
// figures.
func Evaluate(ctx context.Context, set Settings, progress Progress) (*Result, error) {
	return evaluate(ctx, set, progress, nil)
}

// evaluate is Evaluate where another function may make the runs.
func evaluate(
	ctx context.Context, set Settings, progress Progress, run func(context.Context, spec) (*Run,
		error),
) (*Result, error) {
	chosen, err := set.chosen()
	if err != nil {
		return nil, err
	}
	s := newStudy(set, run)
	specs := s.needs(chosen)
	steps := newSteps(len(specs), progress)
	if err := s.cache.prepare(ctx, specs, steps.one); err != nil {
		return nil, err
	}
	return s.result(chosen, s.cache.made())
}

// result draws figures whose runs are in the cache. So many runs were made for them.
func (s *study) result(chosen []*figure, made int) (_ *Result, err error) {
	r := &Result{Settings: s.settings, runs: made}
	for _, f := range chosen {
		b := newSheet(f.name)
		sec := section{figure: f, charts: f.draw(s, b), rows: b.rows}
		r.sections = append(r.sections, sec)
		r.Rows = append(r.Rows, b.rows...)
	}
	r.Criteria = criteria(r.Rows)
	if r.machine, err = s.facts(chosen); err != nil {
		return nil, err
	}
	return r, nil
}

// needs returns the runs of figures, each once, in the order of the figures' needs.
func (s *study) needs(fs []*figure) (specs []spec) {
	seen := map[spec]bool{}
	for _, f := range fs {
		for _, x := range f.needs(s) {
			if !seen[x] {
				seen[x] = true
				specs = append(specs, x)
			}
		}
	}
	return specs
}
