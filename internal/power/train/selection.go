package train

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ebb-energy/ebb/internal/power/activity/jvm"
)

// class says what a selection makes of an event (VESTA, section 3.2).
type class string

// The classes.
const (
	Rare  class = "rare"  // it occurs in no program
	Over  class = "over"  // it costs some program more than the threshold
	Under class = "under" // it occurs, and is not over
)

// Probed says what happened in a program's run in which every event was counted.
type Probed struct {
	Program string
	CPU     time.Duration // CPU time of its processes, the counting included
	Hits    []uint64      // number of hits of each event's probes
}

// Choice says what becomes of an event.
type Choice struct {
	Event string
	Class class
	// Counting the event costs Program more than any other program: Cost, as a part of the CPU time
	// that Program needs without counting.
	Cost    float64
	Program string
	Chosen  bool
}

// Selection holds a choice of events, and what counting them costs.
type Selection struct {
	PerHit    float64 // ns
	Threshold float64 // most that one event may cost
	Joint     float64 // most that all chosen events together may cost
	Choices   []Choice
	Programs  []SelectedCost
}

// SelectedCost says what counting costs a program, as a part of its CPU time.
type SelectedCost struct {
	Program     string
	CPU         time.Duration // the program's CPU time without counting
	All, Chosen float64       // cost of all events, and of those chosen
	Costs       []float64     // cost of each event, in the order in which Select got them
	// Measured says what counting the chosen ones costs, on and off in turn within a run; nil where
	// the program does not say how far it is, or ended before a triple.
	Measured *jvm.Result
}

// Draw says what a number of events costs that are drawn at random: in the mean, and in the middle
// nine tenths of many draws (VESTA, figure 1).
type Draw struct {
	Events          int
	Mean, Low, High float64
}

// Numbers of events that Drawn draws, up to all of them, and draws of each number.
const (
	drawnNumbers = 8
	draws        = 200
)

// Drawn returns what events cost that are drawn at random. Costs add up, because a hit of any event
// costs the same. The draws are the same each time.
func (c *SelectedCost) Drawn() (out []Draw) {
	if len(c.Costs) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(1, 0))
	order := slices.Clone(c.Costs)
	for i := range drawnNumbers {
		n := max(len(order)*(i+1)/drawnNumbers, 1)
		sums := make([]float64, draws)
		for d := range sums {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			for _, cost := range order[:n] {
				sums[d] += cost
			}
		}
		slices.Sort(sums)
		out = append(out, Draw{n, c.All * float64(n) / float64(len(order)), sums[draws/20],
			sums[draws-1-draws/20]})
	}
	return out
}

// Select chooses events by what it costs to count them: their hits times perHit, in ns. An event
// must cost no program more than the threshold, and all together none more than joint: while they
// cost some program more, the event goes that costs this program the most.
func Select(events []string, runs []Probed, perHit, threshold, joint float64) *Selection {
	s := &Selection{PerHit: perHit, Threshold: threshold, Joint: joint}
	costs := make([][]float64, len(runs)) // by program, by event
	for r, run := range runs {
		hits := uint64(0)
		for _, h := range run.Hits {
			hits += h
		}
		// The counting's own time is no part of the program. It is an estimate, so at least a tenth
		// of what was measured is the program's.
		spent := time.Duration(perHit * float64(hits))
		own := max(run.CPU-spent, run.CPU/10, 1)
		costs[r] = make([]float64, len(events))
		all := 0.0
		for e := range events {
			costs[r][e] = perHit * float64(run.Hits[e]) / float64(own)
			all += costs[r][e]
		}
		s.Programs = append(s.Programs, SelectedCost{Program: run.Program, CPU: own, All: all,
			Costs: costs[r]})
	}
	for e, name := range events {
		s.Choices = append(s.Choices, classify(name, e, runs, costs, threshold))
	}
	s.meetJoint(costs)
	slices.SortStableFunc(s.Choices, func(a, b Choice) int { return cmp.Compare(b.Cost, a.Cost) })
	return s
}

func classify(name string, e int, runs []Probed, costs [][]float64, threshold float64) Choice {
	c := Choice{Event: name, Class: Rare}
	for r := range runs {
		if runs[r].Hits[e] > 0 && c.Class == Rare {
			c.Class = Under
		}
		if costs[r][e] > c.Cost {
			c.Cost, c.Program = costs[r][e], runs[r].Program
		}
	}
	if c.Cost > threshold {
		c.Class = Over
	}
	c.Chosen = c.Class == Under
	return c
}

// meetJoint drops events until all that are left together cost no program more than allowed.
func (s *Selection) meetJoint(costs [][]float64) {
	for {
		worst := -1
		for r := range costs {
			sum := 0.0
			for e, c := range s.Choices {
				if c.Chosen {
					sum += costs[r][e]
				}
			}
			s.Programs[r].Chosen = sum
			if sum > s.Joint && (worst < 0 || sum > s.Programs[worst].Chosen) {
				worst = r
			}
		}
		if worst < 0 {
			return
		}
		most := -1
		for e, c := range s.Choices {
			if c.Chosen && (most < 0 || costs[worst][e] > costs[worst][most]) {
				most = e
			}
		}
		s.Choices[most].Chosen = false
	}
}

// Events returns the chosen events, in the order of their names.
func (s *Selection) Events() (names []string) {
	for _, c := range s.Choices {
		if c.Chosen {
			names = append(names, c.Event)
		}
	}
	slices.Sort(names)
	return names
}

// Count returns the number of events of a class.
func (s *Selection) Count(of class) (n int) {
	for _, c := range s.Choices {
		if c.Class == of {
			n++
		}
	}
	return n
}

// Note notes what counting the chosen events was measured to cost a program.
func (s *Selection) Note(program string, r jvm.Result) {
	if len(r.CPU.Triples) == 0 {
		return
	}
	for i := range s.Programs {
		if s.Programs[i].Program == program {
			s.Programs[i].Measured = &r
		}
	}
}
