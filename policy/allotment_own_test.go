package policy

import (
	"fmt"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// displaced predicts a quantum at base in which a thread ran, and waited while ebb had its CPU.
type displaced struct {
	run, wait float64 // ns
	base      units.Frequency
	grows     bool // the wait grows with the running time, as some models have it
}

func (d displaced) Duration(f units.Frequency) float64 {
	slower := float64(d.base) / float64(f)
	if d.grows {
		return (d.run + d.wait) * slower
	}
	return d.run*slower + d.wait
}

// TestDisplacedTimeIsPaidOnce: the time in which ebb had the program's CPU is both a wait of the
// program and a cost of ebb's own. The account pays it once: against a run without ebb, the program
// is slowed by the budget, and by no less because the wait is in the quantum's time as well.
func TestDisplacedTimeIsPaidOnce(t *testing.T) {
	const slowdown, quantum = 0.1, 5 * time.Millisecond
	for _, rule := range []string{"allotment", "budget"} {
		for _, own := range []time.Duration{0, 50 * time.Microsecond, 150 * time.Microsecond} {
			for _, grows := range []bool{false, true} {
				t.Run(fmt.Sprint(rule, "/", own, "/", grows), func(t *testing.T) {
					var pol Policy
					if rule == "budget" {
						pol = newBudget(t, BudgetConfig{Slowdown: slowdown, States: steps125})
					} else {
						pol = newAllotment(t, AllotmentConfig{Slowdown: slowdown, States: steps125})
					}
					alone, slower := slowedBy(pol, quantum, own, grows)
					if slower < slowdown-0.01 || slower > slowdown+0.005 {
						t.Errorf("slowed by %.2f %% of %v", 100*slower, alone)
					}
				})
			}
		}
	}
}

// slowedBy runs 10 s of quanta. It returns the time without ebb, and the slowdown against that.
func slowedBy(
	pol Policy, quantum, own time.Duration, grows bool,
) (alone time.Duration, slower float64) {
	const quanta = 2000
	f, start, top := 4*ghz, units.Instant(0), 0.0
	run := quantum - own
	for range quanta {
		q := Quantum{Start: start, Dur: quantum, Delivered: f, Took: float64(quantum),
			Busy: run, Waited: own, ThreadRun: run, Own: own}
		top += float64(run) * float64(f) / float64(4*ghz)
		start = start.Add(quantum)
		f = pol.Decide(q, displaced{float64(run), float64(own), f, grows}).Frequency
	}
	alone = time.Duration(top)
	return alone, float64(quanta*quantum)/top - 1
}
