package bpf

import (
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// TestCountersAdvanceWithTheSlices: counters reach the slices: the time-stamp counter advances in
// each as time does.
func TestCountersAdvanceWithTheSlices(t *testing.T) {
	s := openStandins(t, len(standinNames))
	column := map[string]int{}
	for i, name := range standinNames {
		column[name] = i
	}
	clock := column["cpu_clock"]
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, Counters: s.FDs()})
	var slices, bad, blind int
	var sum [epochs.MaxCounters]uint64
	var total time.Duration
	r := drain(tr, func(ev *epochs.Event) {
		if ev.Kind != epochs.Off && ev.Kind != epochs.Slice {
			return
		}
		slices++
		for i, v := range ev.Counters {
			sum[i] += v
		}
		length := time.Duration(ev.At - ev.From)
		// A thread whose switch the kernel did not report was found when its slice ended, and was
		// not counted before. The tracer says how many there were.
		if ev.Counters[clock] == 0 && length > time.Millisecond &&
			blind < int(tr.Drops().SwitchUntold) {
			blind++
			return
		}
		total += length
		// A virtual machine's host can come between the clock and the counter, which moves some
		// 21 us from one slice to the next.
		d := time.Duration(ev.Counters[clock]) - length
		if d.Abs() > 20*time.Microsecond+length/20 {
			bad++
		}
	})
	launch(t, tr, exec.Command(compile(t, "../../test/workloads/c/spin.c"), "300"))
	r.finish(t)
	d := tr.Drops()
	// Up to a quantum is not counted where the kernel did not report a switch. That excuses a
	// fiftieth of the slices, and of the time, at most.
	untold := min(int(d.SwitchUntold), slices/50)
	fewest := 100
	if !force(ways{timers: true}).timers {
		fewest = 10 // a slice lasts as long as the thread keeps its CPU
	}
	if slices < fewest || bad > 2+slices/50+untold {
		t.Errorf("in %d of %d slices the CPU's clock counter is off by 20 us and a twentieth", bad,
			slices)
	}
	least := total*99/100 - min(time.Duration(untold)*5*time.Millisecond, total/50)
	if got := time.Duration(sum[clock]); got < least || got > total*101/100 {
		t.Errorf("the CPU's clock counted %s in %s, at least %s: %+v", got, total, least, d)
	}
	if tsc, ok := column["tsc"]; ok && sum[tsc] == 0 {
		t.Error("the time-stamp counter stood still")
	}
	if faults := column["page_faults"]; sum[faults] == 0 {
		t.Error("a program started without a page fault")
	}
	if d.CounterRead+d.CounterStopped != 0 {
		t.Errorf("dropped %+v", d)
	}
}
