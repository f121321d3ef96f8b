package live

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
)

// A program that ends while a reading goes on is read to its end all the same.
func TestProgramEndsDuringAReading(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	const children = 100
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	m := NewHost(tracer, cpufreq.NewShadow("asked for"), 4e9)
	script := "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done"
	if err := m.Launch([]string{"/bin/sh", "-c", script}); err != nil {
		t.Fatal(err)
	}
	buf := make([]governor.Event, 8) // so that a reading takes many calls
	switches, waited := 0, false
	for {
		n, err := m.Next(t.Context(), buf)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range buf[:n] {
			if ev.Kind == governor.Sched {
				switches++
			}
		}
		if !waited && !tracer.Fresh() && switches > 0 {
			waited = true
			for !m.target.ended.Load() {
				time.Sleep(time.Millisecond)
			}
		}
	}
	if !waited {
		t.Fatal("no reading took more than one call")
	}
	all, err := m.Threads()
	if err != nil {
		t.Fatal(err)
	}
	shells := 0
	for _, th := range all {
		if th.Ended == 0 || th.Switches != th.KernelSwitches {
			t.Errorf("thread %d (%s): %d switches of %d, ended at %d", th.TID, th.Comm, th.Switches,
				th.KernelSwitches, th.Ended)
		}
		if int(th.TID) == m.PID() {
			shells++
		}
	}
	if len(all) != children+1 || shells != 1 {
		t.Errorf("%d threads, want %d; the shell is there %d times", len(all), children+1, shells)
	}
}
