package run

import (
	"context"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/internal/app/report"
	"github.com/ebb-energy/ebb/internal/app/run/part"
	"github.com/ebb-energy/ebb/internal/energy/profile"
	"github.com/ebb-energy/ebb/internal/linux/proc"
)

// TestOwnMemoryIsThePeak: the report's own memory has what is taken after the other costs are
// counted, as for the names of methods, and the part of another process that came in between. So
// has its CPU time, which the attribution has as well.
func TestOwnMemoryIsThePeak(t *testing.T) {
	const taken, child, childNS = 96 << 20, 5 << 20, 1e9
	var (
		r    run
		done report.Report
		kept []byte
	)
	var before int64 // as the first count has it
	for _, i := range []part.Finishing{{Add: r.addOverhead}, {Add: func(done *report.Report) error {
		before = done.OwnCPUNS
		kept = make([]byte, taken)
		for i := 0; i < len(kept); i += 4096 {
			kept[i] = 1
		}
		done.OwnRSSBytes += child
		done.OwnCPUNS += childNS
		done.Attribution = &profile.Profile{OwnCPUNS: done.OwnCPUNS}
		return nil
	}}, {Add: func(done *report.Report) error {
		r.addLate(done)
		return nil
	}}} {
		if err := i.Finish(context.Background(), &done); err != nil {
			t.Fatal(err)
		}
	}
	if want := proc.PeakMemory("self") + child; done.OwnRSSBytes < taken ||
		done.OwnRSSBytes > want || done.OwnRSSBytes < want-8<<20 {
		t.Errorf("%d bytes, want %d (%d of them just taken)", done.OwnRSSBytes, want, len(kept))
	}
	if late := done.OwnCPUNS - childNS - before; late <= 0 || late > ownCPU()-before {
		t.Errorf("%v of CPU time after the first count", time.Duration(late))
	}
	if a := done.Attribution.OwnCPUNS; a != done.OwnCPUNS {
		t.Errorf("the attribution has %d ns of ebb's CPU time, the report %d", a, done.OwnCPUNS)
	}
}
