package governor_test

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/policy"
	"github.com/ebb-energy/ebb/predictor"
	"github.com/ebb-energy/ebb/units"
)

// The core takes events and returns actions. A machine without counters has a thread that runs for
// half of a quantum and then for more; all of its running time scales with the clock, so 10 % of it
// may be lost.
func Example() {
	cfg := governor.Default()
	cfg.Slowdown, cfg.Quantum = 0.10, 5*time.Millisecond
	cfg.Rule = policy.Even // as the paper has it: each quantum is slowed by the same share
	cfg.States = []units.Frequency{2e9, 3e9, 3.7e9, 4e9}
	cfg.Predictor = predictor.Config{Estimator: "none"}
	g, err := governor.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := units.Instant(0)
	var step func(ev governor.Event)
	step = func(ev governor.Event) {
		for _, a := range g.Step(&ev, nil) {
			switch a.Kind {
			case governor.SetFrequency: // a machine that obeys at once
				fmt.Println("asks for", a.Frequency)
				step(governor.Event{Kind: governor.Applied, At: now, Frequency: a.Frequency})
			case governor.Decided:
				fmt.Printf("a quantum of %v, %v of it busy: %s\n", a.Quantum.Dur, a.Quantum.Busy,
					a.Quantum.Reason)
			}
		}
	}
	sched := func(ev epochs.Event) {
		now = ev.At
		step(governor.Event{Kind: governor.Sched, Sched: ev})
	}

	step(governor.Event{Kind: governor.Begin, Frequency: 4e9})
	sched(epochs.Event{Kind: epochs.On, At: 0, Thread: 1, Cause: epochs.Started})
	sched(epochs.Event{Kind: epochs.Off, At: 2_500_000, Thread: 1, Cause: epochs.OtherSleep})
	sched(epochs.Event{Kind: epochs.Tick, At: 5_000_000})
	sched(epochs.Event{Kind: epochs.On, At: 5_500_000, Thread: 1, Cause: epochs.Woken,
		By: epochs.NoThread, WokenAt: 5_500_000})
	sched(epochs.Event{Kind: epochs.Off, At: 9_000_000, From: 5_500_000, Thread: 1,
		Cause: epochs.OtherSleep})
	sched(epochs.Event{Kind: epochs.Tick, At: 10_000_000})
	// Output:
	// asks for 4GHz
	// a quantum of 5ms, 2.5ms of it busy: budget
	// asks for 3.7GHz
	// a quantum of 5ms, 3.5ms of it busy: budget
}
