package bpf

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestHighRateLosesNothing: at the highest rate of switches the machine makes, nothing is lost, and
// the ticks keep their promise. The ring has room for all, so that the machine's other work does
// not matter; BenchmarkNext measures how fast it is emptied.
func TestHighRateLosesNothing(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond, RingBytes: 128 << 20})
	var switches, lost, broken, late uint64
	last := map[epochs.TID]epochs.Kind{}
	var ticked, latest epochs.Event
	r := drain(tr, func(ev *epochs.Event) {
		switch ev.Kind {
		case epochs.Lost:
			lost += ev.Count
		case epochs.Tick:
			ticked = *ev
			return
		case epochs.On, epochs.Off:
			if last[ev.Thread] == ev.Kind {
				broken++
			}
			last[ev.Thread] = ev.Kind
			if ev.Kind == epochs.Off && ev.Cause != epochs.Exited {
				switches++
			}
		}
		if ev.At < ticked.At {
			late++
		}
		latest = *ev
	})
	cmd := exec.Command(compile(t, "../../test/workloads/c/pingpong.c"), "500000")
	start := time.Now()
	launch(t, tr, cmd)
	took := time.Since(start)
	r.finish(t)
	var kernel, futex uint64
	for _, th := range mustThreads(t, tr, 0) {
		kernel += th.KernelSwitches
		futex += th.FutexSleeps
	}
	if lost != 0 || broken != 0 || switches != kernel {
		t.Errorf("%d records lost, %d events out of turn, %d switches reported of %d", lost, broken,
			switches, kernel)
	}
	if latest.At > ticked.At {
		t.Errorf("the last event is at %d, the last tick at %d", latest.At, ticked.At)
	}
	// The start of a thread that the kernel did not report is found later.
	if most := tr.Drops().SwitchUntold; late > most {
		t.Errorf("%d events came after a tick that was later than they; %d may have", late, most)
	}
	if d := tr.Drops(); d.RingFull+d.NoStorage+d.TimerStart+d.TimerMoved != 0 {
		t.Errorf("dropped %+v", d)
	}
	t.Logf("%d switches (%d futex sleeps) in %s, %.0f a second; %d bells", switches, futex, took,
		float64(switches)/took.Seconds(), r.rings)
}

// TestOverflowIsReportedToTheLastRecord: records for which a small ring has no room are reported as
// Lost, to the last one.
func TestOverflowIsReportedToTheLastRecord(t *testing.T) {
	tr := openTracer(t, Config{Quantum: 50 * time.Millisecond, RingBytes: os.Getpagesize()})
	var records, lost uint64
	buf := make([]epochs.Event, 4096)
	// On one CPU, each of 20000 round trips is two switches.
	cmd := exec.Command("taskset", "-c", devtest.CPUList(),
		compile(t, "../../test/workloads/c/pingpong.c"), "20000")
	launch(t, tr, cmd) // nobody reads meanwhile
	n, err := tr.Next(buf)
	if err != nil {
		t.Fatal(err)
	}
	if n < 2 || buf[n-1].Kind != epochs.Tick || buf[n-2].Kind != epochs.Lost {
		t.Fatalf("%d events, the last are %+v", n, buf[max(0, n-2):n])
	}
	records, lost = uint64(n-2), buf[n-2].Count
	if d := tr.Drops(); d.RingFull != lost {
		t.Errorf("Lost reports %d records, the drop counter has %d", lost, d.RingFull)
	}
	if records == 0 || lost < 20000 {
		t.Errorf("%d events delivered and %d records lost of more than 40000", records, lost)
	}
	tr.Wake()
	if n, err = tr.Next(buf); err != nil || n != 1 || buf[0].Kind != epochs.Tick {
		t.Errorf("a loss is reported twice: %d events, %+v, %v", n, buf[0], err)
	}
}
