package bpf

import (
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
)

// TestEndsAfterTheLastReading: threads that end once nothing is read any more have their totals all
// the same, each once, however long ago they ended when they are asked for.
func TestEndsAfterTheLastReading(t *testing.T) {
	buf := make([]epochs.Event, 4096)
	for i, wait := range []bool{true, false, true, false, false, false} {
		tr := openTracer(t, Config{Quantum: 50 * time.Millisecond})
		cmd := exec.Command("sh", "-c", "echo; exec sleep 1000")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		pid := cmd.Process.Pid
		if err := tr.Attach(pid); err != nil {
			t.Fatal(err)
		}
		tr.Wake()
		if _, err := tr.Next(buf); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if wait { // nothing is left of it but its totals
			_ = cmd.Wait()
		}
		tr.Over()
		for range 2 {
			if threads := mustThreads(t, tr, pid); len(threads) != 1 ||
				wait && threads[0].KernelRun <= 0 { // else it need not have run since ebb came
				t.Errorf("run %d: %+v, want the one thread", i, threads)
			}
		}
		if !wait {
			_ = cmd.Wait()
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}
