package bpf

import (
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/cilium/ebpf/btf"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/units"
)

// TestTimers: with the timers of every kernel that is served, a slice that begins when a timer has
// fired ends at the grid's next line or after it, and never before.
func TestTimers(t *testing.T) {
	openTracer(t, Config{Quantum: 5 * time.Millisecond}) // skips without the privilege
	program := compile(t, "../../test/workloads/c/spin.c")
	for name, flags := range map[string]uint64{"6.7": timerAbs | timerCPUPin, "6.4": timerAbs,
		"6.1": 0} {
		t.Run(name, func(t *testing.T) {
			c, n, err := Config{Quantum: 5 * time.Millisecond, Slice: time.Millisecond}.complete()
			if err != nil {
				t.Fatal(err)
			}
			where, err := lookAtSpaces()
			if err != nil {
				t.Fatal(err)
			}
			by, err := lookAtKernel(btf.NewCache())
			if err != nil {
				t.Fatal(err)
			}
			tr, err := open(c, n, flags, where, by)
			if errors.Is(err, errTimerFlags) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer tr.Close()
			slices, early, last := 0, 0, units.Instant(0)
			// In 50 ms each slice may be a thread's last, where others take the CPU.
			for ms := 50; ms <= 3200 && slices == 0; ms *= 2 {
				r := drain(tr, func(ev *epochs.Event) {
					if ev.Kind != epochs.Slice {
						return
					}
					// Not when a thread was switched to, beside a late timer.
					if ev.From == last {
						slices++
						if ev.At/1e6 == ev.From/1e6 {
							early++
						}
					}
					last = ev.At
				})
				launch(t, tr, exec.Command(program, fmt.Sprint(ms)))
				r.finish(t)
			}
			if slices == 0 || early != 0 {
				t.Errorf("of %d slices %d ended early", slices, early)
			}
			if d := tr.Drops(); d.TimerStart != 0 || d.TimerMoved != 0 && flags&timerCPUPin != 0 {
				t.Errorf("dropped %+v", d)
			}
			if (flags == timerAbs|timerCPUPin) != (tr.Timers() == "") {
				t.Errorf("it says %q", tr.Timers())
			}
		})
	}
}
