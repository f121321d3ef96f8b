package policy_test

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/units"
)

// halves predicts 5 ms of work of which half waits for memory, whatever the clock.
type halves struct{}

func (halves) Duration(f units.Frequency) float64 { return 2.5e6 + 2.5e6*4e9/float64(f) }

// A policy sees what a quantum took and what it would have taken, and chooses a frequency.
func Example() {
	p, err := policy.NewBudget(policy.BudgetConfig{Slowdown: 0.10,
		States: []units.Frequency{2e9, 3e9, 3.5e9, 4e9}, HoldOff: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("begins at", p.First())
	d := p.Decide(policy.Quantum{Dur: 5 * time.Millisecond, Delivered: 4e9, Took: 5e6,
		Busy: 5 * time.Millisecond, ThreadRun: 5 * time.Millisecond}, halves{})
	fmt.Printf("goes on at %v (%s): %.2f ms instead of %.2f\n", d.Frequency, d.Reason,
		d.Chosen/1e6, d.Max/1e6)
	// Output:
	// begins at 4GHz
	// goes on at 3.5GHz (budget): 5.36 ms instead of 5.00
}
