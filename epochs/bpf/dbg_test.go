package bpf

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
	"fmt"

	"github.com/ebb-energy/ebb/epochs"
)

func TestDbg(t *testing.T) {
	program := compile(t, "../../workloads/c/waits.c")
	for run := range 60 {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		var all []epochs.Event
		r := drain(tr, func(ev *epochs.Event) { all = append(all, *ev) })
		var out bytes.Buffer
		cmd := exec.Command(program, "1000")
		cmd.Stdout = &out
		launch(t, tr, cmd)
		r.finish(t)
		state := map[epochs.TID]epochs.Kind{}
		n := 0
		var gaps []int
		last := map[epochs.TID]epochs.Event{}
		for i, ev := range all {
			if ev.Kind == epochs.On || ev.Kind == epochs.Off {
				bad := state[ev.Thread] == ev.Kind || state[ev.Thread] == 0 && ev.Kind == epochs.Off
				if bad {
					fmt.Println("run", run, "at", i, "of", len(all))
					for j := max(0, i-8); j < min(len(all), i+4); j++ {
						e := all[j]
						fmt.Println(j, e.Kind, e.Cause, e.At, e.From, e.Thread, e.By, e.CPU, e.WokenAt)
					}
				}
				state[ev.Thread] = ev.Kind
				if ev.Kind == epochs.Off { if ev.Cause == epochs.FutexSleep { n++ } }
				if ev.Kind == epochs.On && last[ev.Thread].At != 0 && ev.At - last[ev.Thread].At > 2000000 { gaps = append(gaps, i) }
				last[ev.Thread] = ev
			}
		}
		if n != 1000 {
			fmt.Println("run", run, n, len(all), mustThreads(t, tr, 0), gaps)
			for _, i := range gaps {
					for j := max(0, i-8); j < min(len(all), i+4); j++ {
						e := all[j]
						fmt.Println(j, e.Kind, e.Cause, e.At, e.From, e.Thread, e.By, e.CPU, e.WokenAt)
					}
			}
		}
		tr.Close()
	}
}
