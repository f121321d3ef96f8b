package bpf

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// openTracer opens a tracer, or skips the test where the machine does not allow it.
func openTracer(t testing.TB, c Config) *Tracer {
	t.Helper()
	tr, err := Open(c)
	var verifier *ebpf.VerifierError
	if errors.Is(err, ErrPermission) ||
		errors.Is(err, ErrNotSupported) && !errors.As(err, &verifier) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// compile builds a C program of this package's testdata or of the bundled workloads. A virtual
// machine has them built, in the directory EBB_COMPILED.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	if dir := os.Getenv("EBB_COMPILED"); dir != "" {
		return filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".c"))
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs gcc: ", err)
	}
	out := filepath.Join(t.TempDir(), filepath.Base(source)+".out")
	cmd := exec.Command(gcc, append([]string{"-O2", "-pthread", "-o", out, source}, flags...)...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, msg)
	}
	return out
}

// reader drains a tracer in the background and hands each event to see.
type reader struct {
	tracer *Tracer
	stop   chan struct{}
	done   chan error
	rings  int // returns of Next with a Tick
}

func drain(tr *Tracer, see func(*epochs.Event)) *reader {
	r := &reader{tracer: tr, stop: make(chan struct{}), done: make(chan error, 1)}
	go func() {
		buf := make([]epochs.Event, 8192)
		stopping := false // the reading at hand began after the stop
		for {
			select {
			case <-r.stop:
				stopping = stopping || tr.Fresh()
			default:
			}
			n, err := tr.Next(buf)
			if err != nil {
				r.done <- err
				return
			}
			for i := range buf[:n] {
				see(&buf[i])
			}
			if n > 0 && buf[n-1].Kind == epochs.Tick {
				r.rings++
				if stopping {
					r.done <- nil
					return
				}
			}
		}
	}()
	return r
}

// finish reads what is left and ends the reading.
func (r *reader) finish(t testing.TB) {
	t.Helper()
	close(r.stop)
	deadline := time.After(devtest.Hung)
	for {
		// The first wake may go to a Next that began before the stop.
		r.tracer.Wake()
		select {
		case err := <-r.done:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(time.Millisecond):
		case <-deadline:
			t.Fatal("Next does not return after Wake")
		}
	}
}

// launch runs a command to its end under the tracer.
func launch(t testing.TB, tr *Tracer, cmd *exec.Cmd) {
	t.Helper()
	cmd.Stderr = os.Stderr
	if err := tr.Launch(func() (int, error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		return cmd.Process.Pid, nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if !tr.Exited(20 * time.Second) {
		t.Fatalf("%d threads have announced their end and not stopped", tr.shared.exiting(0))
	}
}

// mustThreads returns the threads of process pid; of all processes for 0.
func mustThreads(t testing.TB, tr *Tracer, pid int) []Thread {
	t.Helper()
	all, err := tr.Threads()
	if err != nil {
		t.Fatal(err)
	}
	var out []Thread
	for _, th := range all {
		if pid == 0 || int(th.TGID) == pid {
			out = append(out, th)
		}
	}
	return out
}
