package run

import (
	"context"
	"testing"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestOwnMemoryIsThePeak: the report's own memory has what is taken after the other costs are
// counted, as for the names of methods, and the part of another process that came in between.
func TestOwnMemoryIsThePeak(t *testing.T) {
	const taken, child = 96 << 20, 5 << 20
	var (
		r    Run
		done report.Report
		kept []byte
	)
	for _, i := range []finishing{{add: r.addOverhead}, {add: func(done *report.Report) error {
		kept = make([]byte, taken)
		for i := 0; i < len(kept); i += 4096 {
			kept[i] = 1
		}
		done.OwnRSSBytes += child
		return nil
	}}, {add: r.addLate}} {
		if err := i.finish(context.Background(), &done); err != nil {
			t.Fatal(err)
		}
	}
	if want := proc.PeakMemory("self") + child; done.OwnRSSBytes < taken ||
		done.OwnRSSBytes > want || done.OwnRSSBytes < want-8<<20 {
		t.Errorf("%d bytes, want %d (%d of them just taken)", done.OwnRSSBytes, want, len(kept))
	}
}
