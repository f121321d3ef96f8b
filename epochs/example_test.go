package epochs_test

import (
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
)

// Two threads share a lock: thread 2 sleeps until thread 1 wakes it. Each sleep and each wake ends
// an epoch.
func Example() {
	assembler, err := epochs.NewAssembler(epochs.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Events come from several CPUs, nearly in order. A tick releases those that it confirms.
	order := epochs.NewReorder(0, assembler.Push)
	assembler.Begin(0)
	for _, ev := range []epochs.Event{
		{Kind: epochs.On, At: 0, Thread: 1, CPU: 0, Cause: epochs.Seen},
		{Kind: epochs.On, At: 0, Thread: 2, CPU: 1, Cause: epochs.Seen},
		{Kind: epochs.On, At: 700, Thread: 2, CPU: 1, Cause: epochs.Woken, By: 1, WokenAt: 650},
		{Kind: epochs.Off, At: 400, From: 0, Thread: 2, CPU: 1, Cause: epochs.FutexSleep},
		{Kind: epochs.Tick, At: 1000},
	} {
		order.Push(&ev)
	}
	assembler.Finish(1000)
	for e := assembler.Next(); e != nil; e = assembler.Next() {
		fmt.Printf("epoch %d: %d ns, threads", e.ID, e.Dur)
		for _, row := range e.Rows {
			fmt.Printf(" %d", row.Thread)
		}
		fmt.Printf(", ended by %v\n", e.Ends)
	}
	// Output:
	// epoch 0: 400 ns, threads 1 2, ended by [W2]
	// epoch 1: 300 ns, threads 1, ended by [A2<1]
	// epoch 2: 300 ns, threads 1 2, ended by [F]
}
