package bpf

import (
	"os/exec"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTickerStaysForWhoRang: a thread that rings and sleeps again may run on in the same quantum
// without a bell, so the ticker looks once more at the quantum's end. Then it waits for a bell.
func TestTickerStaysForWhoRang(t *testing.T) {
	const quantum, long = 5 * time.Millisecond, 4 * time.Second
	tr := openTracer(t, Config{Quantum: quantum})
	looks := 0
	ticker := &ticker{quantum: quantum, on: func() (bool, error) { looks++; return false, nil }}
	wait := func() (took time.Duration) {
		t.Helper()
		began := time.Now()
		if err := tr.bell.until(began.Add(long)); err != nil {
			t.Fatal(err)
		}
		if err := ticker.wait(tr.bell); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	for range 2 {
		looks = 0
		atomic.AddUint64(tr.shared.bells, 1)
		if took := wait(); took > long/2 || looks != 1 {
			t.Errorf("a bell was heard after %v, and then it looked %d times", took, looks)
		}
		if took := wait(); took > long/2 || looks != 2 {
			t.Errorf("the quantum ended after %v, and it looked %d times", took, looks)
		}
	}
	if took := wait(); took < long {
		t.Errorf("it woke after %v without a bell", took)
	}
}

// TestLaunchRings: without timers a command that a launcher starts rings as it begins, as it may
// keep its CPU.
func TestLaunchRings(t *testing.T) {
	by(t, untimed, map[string]func(*testing.T){"": func(t *testing.T) {
		tr := openTracer(t, Config{Quantum: time.Second})
		cmd := exec.Command("sh", "-c", "exec sh -c 'kill -STOP $$'")
		if err := tr.LaunchThrough(func() (int, error) { return 0, cmd.Start() }); err != nil {
			t.Fatal(err)
		}
		var status unix.WaitStatus
		if _, err := unix.Wait4(cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil {
			t.Fatal(err)
		}
		bells := tr.shared.bellCount()
		if !status.Stopped() || bells == 0 {
			t.Errorf("status %#x after %d bells", status, bells)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL) // it is stopped
		_ = cmd.Wait()
	}})
}
