package pace

import (
	"slices"
	"testing"
	"time"
)

const quantum = 5 * time.Millisecond

// run has quanta pass in which ebb costs a part of the time that depends on the step, and returns
// the steps that were taken, each once, and the cost of all.
func run(p *Pace, quanta int, part func(i int, s Step) float64) (taken []Step, cost float64) {
	s, own := Step{1, 1}, 0.0
	taken = append(taken, s)
	for i := range quanta {
		own += part(i, s)
		next := p.Next(quantum, time.Duration(part(i, s)*float64(quantum)))
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
	sampled := func(each float64) func(int, Step) float64 {
		return func(_ int, s Step) float64 { return each / float64(s.Periods) }
	}
	const budget = 0.025
	for _, c := range []struct {
		name string
		part func(int, Step) float64
		want []Step
		most float64
	}{
		{"cheap", sampled(0.024), []Step{{1, 1}}, 0.0241},
		{"dear", sampled(0.08), []Step{{1, 1}, {2, 1}, {4, 1}}, 0.027},
		{"whatever it does", func(int, Step) float64 { return 0.08 },
			[]Step{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {8, 2}, {8, 4}}, 0.0801},
		{"at the beginning", func(i int, s Step) float64 {
			if i < 120 {
				return 0.2
			}
			return 0.005
		}, []Step{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {4, 1}, {2, 1}, {1, 1}}, 0.02},
	} {
		got, cost := run(&Pace{Budget: budget}, 4000, c.part)
		if !slices.Equal(got, c.want) || cost > c.most {
			t.Errorf("%s: %v, %.3f", c.name, got, cost)
		}
	}
}
