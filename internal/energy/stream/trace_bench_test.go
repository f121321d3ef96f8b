package stream

import (
	"io"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/epochs"
	"github.com/ebb-energy/ebb/internal/energy"
	"github.com/ebb-energy/ebb/units"
)

// BenchmarkWindow is the time of a window with four threads on two CPUs and four samples.
func BenchmarkWindow(b *testing.B) {
	tr := NewTrace([]string{"package-0", "dram-0"}, []bool{true, true}, 1<<40,
		func(string) io.Writer { return io.Discard })
	w := energy.Window{To: units.Instant(100 * time.Millisecond), Used: []units.Energy{5e8, 1e8}}
	charged := map[epochs.TID][]units.Energy{}
	for i := range 4 {
		thread := epochs.TID(i)
		w.Runs = append(w.Runs, energy.Run{Thread: thread, CPU: energy.CPU(i % 2),
			Alone: 20 * time.Millisecond})
		w.Samples = append(w.Samples, energy.Sample{Thread: thread, Stack: 9})
		charged[thread] = []units.Energy{1e8, 1e7}
	}
	for b.Loop() {
		tr.Window(&w, charged)
	}
}
