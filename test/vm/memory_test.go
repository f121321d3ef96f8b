package vm

import (
	"math"
	"testing"
)

// TestMemoryControllers: what ebb reports of two channels is what the load moved, whatever the
// clock. A channel that counts twice shows.
func TestMemoryControllers(t *testing.T) {
	settle(t)
	fault(t, "controllers", "2")
	r := command(t, "/bin/ebb", "doctor")
	says(t, r.out, "DRAM traffic good uncore_imc, 2 channels")
	load := memoryBound.of(medium)
	waits := 0.9 * at(t, 4000000, load).time.Seconds() // at the highest clock
	const read, written = 60e6 * 64, 30e6 * 64         // bytes in a second of waiting
	for _, c := range []struct {
		doubled, frequency string
		times              float64
	}{{"0", "1GHz", 1}, {"2", "4GHz", 1.5}} {
		fault(t, "channel_doubled", c.doubled)
		_, rep, r := governed(t, load, "--frequency", c.frequency)
		t.Logf("%+v: %d read, %d written", c, rep.MemoryRead, rep.MemoryWritten)
		off := math.Abs(float64(rep.MemoryRead)/(c.times*waits*read) - 1)
		off = max(off, math.Abs(float64(rep.MemoryWritten)/(c.times*waits*written)-1))
		if off > 0.02 {
			t.Errorf("%+v: %.1f %% off: %s", c, 100*off, r.err)
		}
	}
}
