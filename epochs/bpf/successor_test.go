package bpf

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/devtest"
)

// TestExecByAnotherThread: a thread that executes a program takes the id of its process's first
// thread, which ends. Its records go on under that id from one moment on, so that every epoch is
// known, and the process has one account with all that both used.
func TestExecByAnotherThread(t *testing.T) {
	program := compile(t, "testdata/successor.c")
	for _, how := range []string{"sleep", "spin"} {
		for _, attached := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/attached=%v", how, attached), func(t *testing.T) {
				for range devtest.Cases(10, 1) {
					succeed(t, program, how, attached)
				}
			})
		}
	}
}

// succeed checks one run of the program. Where its first thread spins until it ends, that one's
// last switch can come after the other has its id.
func succeed(t *testing.T, program, how string, attached bool) {
	t.Helper()
	tr := openTracer(t, Config{Quantum: 5 * time.Millisecond})
	a, err := epochs.NewAssembler(epochs.Config{})
	if err != nil {
		t.Fatal(err)
	}
	order := epochs.NewReorder(1<<16, a.Push)
	ran := map[epochs.TID]time.Duration{}
	var renamed, stops []epochs.Event
	r := drain(tr, func(ev *epochs.Event) {
		order.Push(ev)
		switch {
		case ev.Kind == epochs.Exec && ev.By != ev.Thread && ev.By != epochs.NoThread:
			renamed = append(renamed, *ev)
		case ev.Kind == epochs.Off || ev.Kind == epochs.Slice:
			ran[ev.Thread] += ev.At.Sub(ev.Began())
			if ev.Cause == epochs.Exited {
				stops = append(stops, *ev)
			}
		}
	})
	args := []string{"20"}
	if how == "spin" {
		args = append(args, how)
	}
	cmd := exec.Command(program, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	if attached {
		begin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if err := tr.Attach(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(begin, "\n"); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if !tr.Exited(20 * time.Second) {
			t.Fatal("threads have announced their end and not stopped")
		}
	} else {
		launch(t, tr, cmd)
	}
	r.finish(t)
	var second, process int64
	if _, err := fmt.Sscanf(out.String(), "second=%d process=%d", &second, &process); err != nil {
		t.Fatalf("the program printed %q: %v", out.String(), err)
	}
	pid := epochs.TID(cmd.Process.Pid)
	if len(renamed) != 1 || renamed[0].Thread != pid || renamed[0].By != epochs.TID(second) {
		t.Errorf("thread %d became %d: %+v", second, pid, renamed)
	}
	// Where the first thread's last stop comes late, two have the id for a moment: one is evicted.
	late := slices.ContainsFunc(stops, func(ev epochs.Event) bool {
		return len(renamed) == 1 && ev.Thread == pid && ev.CPU != renamed[0].CPU &&
			ev.Began() < renamed[0].At && ev.At > renamed[0].At
	})
	if s := a.Stats(); !attached && !late && s.Adopted+s.Evicted+s.Late > 0 {
		t.Errorf("the records contradict each other: %+v", s)
	}
	threads := mustThreads(t, tr, int(pid))
	if len(threads) != 1 || threads[0].TID != pid || threads[0].Ended == 0 {
		t.Fatalf("process %d has %+v", pid, threads)
	}
	const each = 20 * time.Millisecond
	if used := time.Duration(process); !attached && threads[0].KernelRun < used-used/100 ||
		threads[0].KernelRun < 2*each || threads[0].Run != ran[pid]+ran[epochs.TID(second)] {
		t.Errorf("%+v, its records have %v; the process used %v", threads, ran, used)
	}
	if ran[epochs.TID(second)] < each-each/4 {
		t.Errorf("the second thread ran for %v under its own id", ran[epochs.TID(second)])
	}
}
