package report

import (
	"strings"
	"testing"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/predictor/power"
	"github.com/ebb-energy/ebb/units"
)

func TestMemoryTraffic(t *testing.T) {
	for _, c := range []struct {
		readings      [][2]uint64
		read, written uint64
	}{
		{[][2]uint64{{100, 50}}, 0, 0},
		{[][2]uint64{{100, 50}, {200, 51}, {1100, 50 + 1<<20}}, 64_000, 64 << 20},
		// counters that began anew say nothing more
		{[][2]uint64{{100, 50}, {200, 60}, {10, 5}}, 6_400, 640},
	} {
		r := Report{MemorySource: "uncore_imc, 2 channels"}
		n := NewObserver(&r, []units.Frequency{1e9}, power.Table2())
		for i, v := range c.readings {
			n.Observe(&governor.Event{Kind: governor.Traffic, At: units.Instant(i), Reads: v[0],
				Writes: v[1]}, nil)
		}
		if *r.MemoryReadBytes != c.read || *r.MemoryWrittenBytes != c.written {
			t.Errorf("%v: %d bytes read, %d written; want %d, %d", c.readings, *r.MemoryReadBytes,
				*r.MemoryWrittenBytes, c.read, c.written)
		}
	}
}

// The modelled energy of memory has the lines that the controllers counted, or else the program's
// own.
func TestMemoryEnergy(t *testing.T) {
	model := power.Table2()
	var r Report
	c := NewObserver(&r, []units.Frequency{1e9}, model)
	q := governor.Quantum{
		Measured:  governor.Measured{Dur: time.Millisecond, DRAMReads: 1000},
		Clock:     governor.Clock{Effective: 1e9, Delivered: 1e9},
		Predicted: governor.Predicted{AtEffective: 1e6},
		Choice:    governor.Choice{Max: 1e6}}
	c.addEnergy(&q)
	want := model.Energy(power.Work{DRAMReads: 1000}).DRAMDynamic
	if got := c.energy.DRAMDynamic; got != want || got == 0 {
		t.Errorf("%v by the program's requests, want %v", got, want)
	}
	before := c.energy.DRAMDynamic
	q.MemoryReads, q.MemoryWrites, q.MemoryCounted = 5000, 300, true
	c.addEnergy(&q)
	want = model.Energy(power.Work{DRAMReads: 5300}).DRAMDynamic
	if got := c.energy.DRAMDynamic - before; got != want {
		t.Errorf("%v by the controllers, want %v", got, want)
	}
}

func TestMemoryLine(t *testing.T) {
	read, written := uint64(12_345_678_901), uint64(999)
	for want, r := range map[string]Report{
		"12.3 GB read, 999 B written by the whole machine (amd_umc, 8 channels)": {
			MemoryReadBytes: &read, MemoryWrittenBytes: &written,
			MemorySource: "amd_umc, 8 channels",
		},
		"by the cores: not supported here": {
			MemorySource: "cores", MemoryNote: "not supported here: no uncore PMU",
		},
	} {
		var out strings.Builder
		r.WriteSummary(&out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
	var out strings.Builder
	(&Report{MemoryNote: "not supported here"}).WriteSummary(&out)
	if strings.Contains(out.String(), "\n  memory") {
		t.Errorf("a line without anything to say: %s", out.String())
	}
}
