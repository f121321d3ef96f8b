package attribution

import (
	"slices"
	"testing"
	"time"
)

const quantum = 5 * time.Millisecond

// run has quanta pass in which ebb costs a part of the time that depends on the step, and returns
// the steps that were taken, each once, and the cost of all.
func run(
	p *pace, quanta int, part func(i int, s paceStep) float64,
) (taken []paceStep, cost float64) {
	s, own := paceStep{1, 1}, 0.0
	taken = append(taken, s)
	for i := range quanta {
		own += part(i, s)
		next := p.next(quantum, time.Duration(part(i, s)*float64(quantum)))
		if next != s {
			taken = append(taken, next)
		}
		s = next
	}
	return taken, own / float64(quanta)
}

// TestGivesWay: the rate gives way first, then the windows; what is cheap changes nothing, and a
// dear beginning does not last.
func TestGivesWay(t *testing.T) {
	sampled := func(each float64) func(int, paceStep) float64 {
		return func(_ int, s paceStep) float64 { return each / float64(s.Periods) }
	}
	const budget = 0.025
	for _, c := range []struct {
		name string
		part func(int, paceStep) float64
		want []paceStep
		most float64
	}{
		{"cheap", sampled(0.024), []paceStep{{1, 1}}, 0.0241},
		{"dear", sampled(0.08), []paceStep{{1, 1}, {2, 1}, {4, 1}}, 0.027},
		{"whatever it does", func(int, paceStep) float64 { return 0.08 },
			[]paceStep{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {8, 2}, {8, 4}}, 0.0801},
		{"at the beginning", func(i int, s paceStep) float64 {
			if i < 120 {
				return 0.2
			}
			return 0.005
		}, []paceStep{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 1}, {2, 1}, {1, 1}}, 0.02},
	} {
		got, cost := run(&pace{budget: budget}, 4000, c.part)
		if !slices.Equal(got, c.want) || cost > c.most {
			t.Errorf("%s: %v, %.3f", c.name, got, cost)
		}
	}
}
