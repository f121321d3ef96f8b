package accuracy

import (
	"fmt"
	"html/template"
	"math"

	"github.com/ebb-energy/ebb/internal/render/chart"
)

// findings returns the page's first sentences, on the first set.
func (r *Result) findings() (out []string) {
	if len(r.Sets) == 0 || len(r.Pairs) < paperPairs {
		return nil
	}
	s := &r.Sets[0]
	for _, x := range []struct{ model, what string }{
		{"wake", "ebb's model with the best counters there are (wake)"},
		{"wake, real counters", "The same with what real processors count"},
		{"dep+burst", "DEP+BURST as printed"},
	} {
		i := r.index(x.model)
		if i < 0 {
			continue
		}
		up, worstUp := s.Mean(0, i)
		down, worstDown := s.Mean(1, i)
		if known(up) && known(down) {
			out = append(out, fmt.Sprintf("%s errs by %.1f %% on average from %v (worst: %.1f "+
				"%%), and by %.1f %% from %v (worst: %.1f %%).", x.what, up, r.Pairs[0], worstUp,
				down, r.Pairs[1], worstDown))
		}
	}
	return out
}

// lead returns the page's first drawing: the models' means on the first set, beside the paper's.
func (r *Result) lead() template.HTML {
	if len(r.Sets) == 0 {
		return ""
	}
	s := &r.Sets[0]
	b := chart.Bars{Title: "Mean absolute error, " + s.title() + " programs",
		Desc: "Mean absolute error by model", Y: chart.Axis{Label: "error", Unit: "%"},
		Reference: "the paper's, on its programs", Height: 290}
	for p, pair := range r.Pairs[:min(paperPairs, len(r.Pairs))] {
		b.Series = append(b.Series, chart.Series{Name: pair.String(), Colour: []int{1, 2}[p]})
	}
	for j, m := range r.Models {
		if mean, _ := s.Mean(0, j); !known(mean) {
			continue // the model has no figure of all programs
		}
		b.Groups = append(b.Groups, m.Name)
		for p := range b.Series {
			mean, _ := s.Mean(p, j)
			paper := []float64{m.PaperUp, m.PaperDown}[p]
			if paper == 0 {
				paper = math.NaN()
			}
			x := &b.Series[p]
			x.Values, x.Reference = append(x.Values, mean), append(x.Reference, paper)
		}
	}
	return chart.FigureHTML(b)
}
