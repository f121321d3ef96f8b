package vesta

import (
	"context"
	"fmt"
	"math"

	"github.com/ebb-energy/ebb/internal/power/powermodel"
)

// Loss says how well models do in a configuration: those of its own intervals, and those that were
// made in the first configuration.
type Loss struct {
	Configuration string `json:"configuration"`
	Intervals     int    `json:"intervals"`
	// Own has an entry for each model of its own intervals (Validate, figure 17). Taken has one for
	// each model of the first configuration's intervals, which saw none of this one's; it is nil
	// for the first.
	Own   []Misses `json:"own"`
	Taken []Misses `json:"by_first,omitempty"`
}

// Misses has the absolute errors of a model over the programs' energy, as parts of what was
// measured.
type Misses struct {
	Model string  `json:"model"`
	Mean  float64 `json:"mean"`
	// Deviation is the standard deviation over the programs, the whisker of figure 17.
	Deviation float64 `json:"standard_deviation"`
	Worst     float64 `json:"worst"`
	Program   string  `json:"worst_program"`
	Programs  int     `json:"programs"`
}

// compared are the models that are compared over configurations: the paper's and ebb's own.
var compared = []string{paperModel, powermodel.Default.Name}

// Compare measures what models lose in other configurations than the one that they were made in.
func Compare(ctx context.Context, all []Configuration, repeats int, seed uint64,
	progress func(done, of int),
) (out []Loss, err error) {
	done, of := 0, len(all)*repeats*len(models)
	for i := range all {
		c := &all[i]
		results, err := Validate(ctx, c.Own, repeats, seed, func(int, int) {
			done++
			progress(done, of)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		l := Loss{Configuration: c.Name, Intervals: c.Own.Rows()}
		for _, name := range compared {
			l.Own = append(l.Own, ownMisses(results, name))
			if i == 0 {
				continue
			}
			m, err := taken(all[0].Alike, c.Alike, name)
			if err != nil {
				return nil, fmt.Errorf("%s by a model of %s: %w", c.Name, all[0].Name, err)
			}
			l.Taken = append(l.Taken, m)
		}
		out = append(out, l)
	}
	return out, nil
}

// ownMisses returns a model's errors from the results of a validation.
func ownMisses(results []Result, name string) Misses {
	for _, r := range results {
		if r.Model != name {
			continue
		}
		var errs []float64
		var programs []string
		for _, p := range r.Programs {
			errs, programs = append(errs, p.Mean), append(programs, p.Program)
		}
		return missesOf(name, programs, errs)
	}
	return Misses{Model: name}
}

// taken returns the errors over all intervals of one table by a model of another one's.
func taken(from, to *powermodel.Table, name string) (Misses, error) {
	l, err := powermodel.LearnerOf(name)
	if err != nil {
		return Misses{}, err
	}
	both, first := joined(from, to)
	errs, err := powermodel.Split(both, l, rows(0, first), rows(first, both.Rows()))
	if err != nil {
		return Misses{}, err
	}
	return missesOf(name, both.Programs, errs), nil
}

// missesOf sums up errors by program; NaN stands for a program without any.
func missesOf(name string, programs []string, errs []float64) Misses {
	m := Misses{Model: name, Worst: -1}
	var known []float64
	for p, e := range errs {
		if e = math.Abs(e); !finite(e) {
			continue
		}
		if known = append(known, e); e > m.Worst {
			m.Worst, m.Program = e, programs[p]
		}
	}
	m.Programs = len(known)
	m.Mean, m.Deviation = meanAndDeviation(known)
	return m
}

// joined returns the rows of two tables with the same inputs as one, and the number of the first
// one's. Programs with one name are one.
func joined(a, b *powermodel.Table) (t *powermodel.Table, first int) {
	t = &powermodel.Table{Inputs: a.Inputs, Columns: make([][]float64, len(a.Inputs))}
	number := map[string]int{}
	for _, from := range []*powermodel.Table{a, b} {
		for k := range t.Columns {
			t.Columns[k] = append(t.Columns[k], from.Columns[k]...)
		}
		t.Power = append(t.Power, from.Power...)
		for _, p := range from.Program {
			name := from.Programs[p]
			if _, ok := number[name]; !ok {
				number[name], t.Programs = len(t.Programs), append(t.Programs, name)
			}
			t.Program = append(t.Program, number[name])
		}
	}
	return t, a.Rows()
}

func rows(from, to int) (out []int) {
	for r := from; r < to; r++ {
		out = append(out, r)
	}
	return out
}
