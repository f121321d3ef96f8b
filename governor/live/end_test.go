package live

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/units"
)

// TestLateTicksEndWithTheTarget: where ebb sees the end late, no tick and no loss comes after it,
// nor that the target was asked to end. Ticks that came before the end was known stay, and none
// goes back.
func TestLateTicksEndWithTheTarget(t *testing.T) {
	const end = 43
	for _, c := range []struct {
		known bool // the end, at the last tick
		ticks []units.Instant
		last  units.Instant
	}{
		{true, []units.Instant{40, 50}, end},
		{true, []units.Instant{40, 42}, 42},
		{true, []units.Instant{45, 50}, 45},
		{false, []units.Instant{40, 50}, 50},
	} {
		m := Host{begun: true}
		m.ending.Store(int64(60))
		var sched []epochs.Event
		for i, at := range c.ticks {
			if c.known && i == len(c.ticks)-1 {
				m.target.end(end)
			}
			sched = []epochs.Event{{Kind: epochs.Off, At: at - 1}, {Kind: epochs.Lost, At: at},
				{Kind: epochs.Tick, At: at}}
			m.bound(sched)
		}
		if off := c.ticks[len(c.ticks)-1] - 1; sched[0].At != off || sched[1].At != c.last ||
			sched[2].At != c.last {
			t.Errorf("%+v: %+v", c, sched)
		}
		var buf [1]governor.Event
		asked := max(end, c.last)
		if !c.known {
			asked = 60
		}
		if n := m.asked(buf[:], c.last); n != 1 || buf[0].At != asked {
			t.Errorf("%+v: asked to end: %+v", c, buf)
		}
	}
}

// TestProgramEndsDuringAReading: a program that ends while a reading goes on is read to its end all
// the same.
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
	if err := m.Launch(t.Context(), []string{"/bin/sh", "-c", script}); err != nil {
		t.Fatal(err)
	}
	buf := make([]governor.Event, kept+2) // so that a reading takes many calls
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

// TestCommandWithoutAStart: a command whose start the records do not have ends the run, and is not
// waited for.
func TestCommandWithoutAStart(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	m := NewHost(tracer, cpufreq.NewShadow("asked for"), 4e9)
	if err := m.Launch(t.Context(), []string{"/bin/true"}); err != nil {
		t.Fatal(err)
	}
	for !m.target.ended.Load() {
		time.Sleep(time.Millisecond)
	}
	m.target.pid = os.Getpid() // another process than the records are of
	if n, err := m.Next(t.Context(), make([]governor.Event, 64)); !errors.Is(err, errNoStart) {
		t.Errorf("%d events, then %v", n, err)
	}
	if _, err := m.Next(t.Context(), make([]governor.Event, 64)); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v", err)
	}
}

// TestStartIsLost: the same where the ring is full when the command starts, so that its exec is
// lost: what was launched before it has filled the smallest ring.
func TestStartIsLost(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond, RingBytes: os.Getpagesize()})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	m := NewHost(tracer, cpufreq.NewShadow("asked for"), 4e9)
	const flood = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done"
	err = tracer.Launch(func() (int, error) {
		if err := exec.Command("/bin/sh", "-c", flood).Run(); err != nil {
			return 0, err
		}
		return m.target.start("/bin/true", []string{"true"})
	})
	if err == nil {
		err = m.target.begun(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	go m.target.wait(tracer)
	// The kernel reports an exec a moment after its caller has heard of it: to read before would
	// make room for the record.
	for !m.target.ended.Load() {
		time.Sleep(time.Millisecond)
	}
	buf := make([]governor.Event, 64)
	n := 0
	for err == nil && n == 0 {
		n, err = m.Next(t.Context(), buf)
	}
	if !errors.Is(err, errNoStart) {
		t.Errorf("%d events, then %v", n, err)
	}
}
