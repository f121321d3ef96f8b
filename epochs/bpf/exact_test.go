package bpf

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestFutexSleepsAreCountedExactly: a thread that blocks in exactly 1000 futex waits is counted
// exactly, 20 times in a row.
func TestFutexSleepsAreCountedExactly(t *testing.T) {
	const waits = 1000
	program := compile(t, "../../test/workloads/c/waits.c")
	sleeperLine := regexp.MustCompile(`role=sleeper tid=(\d+)`)
	for run := range devtest.Cases(20, 5) {
		tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
		offs := map[epochs.TID]uint64{}
		ons := map[epochs.TID]uint64{}
		lost := uint64(0)
		r := drain(tr, func(ev *epochs.Event) {
			switch {
			case ev.Kind == epochs.Off && ev.Cause == epochs.FutexSleep:
				offs[ev.Thread]++
			case ev.Kind == epochs.On && ev.Cause == epochs.Woken && ev.By != epochs.NoThread:
				ons[ev.Thread]++
			case ev.Kind == epochs.Lost:
				lost += ev.Count
			}
		})
		var out bytes.Buffer
		cmd := exec.Command(program, strconv.Itoa(waits))
		cmd.Stdout = &out
		launch(t, tr, cmd)
		r.finish(t)
		m := sleeperLine.FindSubmatch(out.Bytes())
		if m == nil {
			t.Fatalf("no sleeper in %q", out.String())
		}
		id, _ := strconv.Atoi(string(m[1]))
		sleeper := epochs.TID(id)
		if offs[sleeper] != waits || ons[sleeper] != waits || lost != 0 {
			t.Errorf("run %d: %d futex sleeps, "+
				"%d wakes by threads of the target, %d lost; want %d, %d, 0",
				run, offs[sleeper], ons[sleeper], lost, waits, waits)
		}
		for _, th := range mustThreads(t, tr, cmd.Process.Pid) {
			if th.TID == sleeper && th.FutexSleeps != waits {
				t.Errorf("run %d: the thread's total has %d futex sleeps, want %d", run,
					th.FutexSleeps, waits)
			}
			if th.Switches != th.KernelSwitches {
				t.Errorf("run %d: thread %d (%s) switched %d times, the kernel counted %d", run,
					th.TID, th.Comm, th.Switches, th.KernelSwitches)
			}
		}
		d := tr.Drops()
		d.SwitchUntold = 0 // the kernel's omission, which must not show in the counts
		d.StateLate = 0    // nor may this, on an older kernel
		if d != (Drops{}) {
			t.Errorf("run %d: dropped %+v", run, d)
		}
		if err := tr.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
