package live

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/cpufreq"
	"github.com/ebb-energy/ebb/epochs/bpf"
	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/devtest"
	"github.com/ebb-energy/ebb/internal/inventory"
)

// TestForeignIsOfTheRun: the time of others goes from the start to the end, whatever they ran while
// ebb opened and after the end: in it they have no more than the CPUs have.
func TestForeignIsOfTheRun(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("tracing needs root")
	}
	dir := devtest.Cgroup(t)
	tracer, err := bpf.Open(bpf.Config{Quantum: 5 * time.Millisecond, Tenants: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tracer.Close()
	other := func() { // it is stopped by its own clock, after so much CPU time
		loop := exec.Command("sh", "-c", "ulimit -t 1; while :; do :; done")
		if err := loop.Run(); err == nil {
			t.Fatal("a loop has ended by itself")
		}
	}
	other()
	m := NewSeveral(tracer, cpufreq.NewShadow("asked for"), 4e9, []Location{{Dir: dir}})
	defer m.Close()
	began := time.Now()
	if _, err := m.Start(); err != nil {
		t.Fatal(err)
	}
	m.Stop()
	for err = nil; err == nil; {
		_, err = m.Next(context.Background(), make([]governor.Event, 8))
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	most := time.Since(began) * time.Duration(inventory.CPUs())
	first, err := m.Foreign()
	if err != nil || first > most {
		t.Errorf("others ran %v, %v; the CPUs had %v", first, err, most)
	}
	other()
	if again, err := m.Foreign(); again != first || err != nil {
		t.Errorf("after the end they ran %v, %v; at it %v", again, err, first)
	}
}
