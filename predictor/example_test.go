package predictor_test

import (
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/predictor"
)

// One thread runs for a millisecond at 4 GHz, and then nothing runs for a millisecond. At half the
// clock the first takes twice as long, and the second as long as before.
func Example() {
	p, err := predictor.New(predictor.Config{Estimator: "none", Unit: epochs.Nanosecond}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	const base = 4e9
	for _, e := range []epochs.Epoch{
		{ID: 0, Start: 0, Dur: 1e6, Rows: []epochs.Row{{Thread: 1}},
			Ends: []epochs.End{{Kind: epochs.EndOtherSleep, Thread: 1, By: epochs.NoThread}}},
		{ID: 1, Start: 1e6, Dur: 1e6, Ends: []epochs.End{{Kind: epochs.EndRun,
			Thread: epochs.NoThread, By: epochs.NoThread}}},
	} {
		p.Add(&e, base)
	}
	fmt.Printf("at 4 GHz %.1f ms, at 2 GHz %.1f ms\n", p.Duration(4e9)/1e6, p.Duration(2e9)/1e6)
	// Output: at 4 GHz 2.0 ms, at 2 GHz 3.0 ms
}
