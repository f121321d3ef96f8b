package governor

import (
	"math"
	"time"

	"github.com/ebb-energy/ebb/units"
)

// traffic has the readings of the memory controllers' counters. They are read less often than
// quanta end, because each reading interrupts CPUs, so a quantum's part is the rate between the
// newest two readings.
type traffic struct {
	before, last trafficReading // before.at is 0 until two readings can be compared
}

type trafficReading struct {
	at            units.Instant
	reads, writes uint64
}

// oldTraffic is the age beyond which a rate says nothing about a quantum.
const oldTraffic = units.Instant(time.Second)

// reading takes the counts at a time. Counts that went back are those of counters that began anew.
func (t *traffic) reading(at units.Instant, reads, writes uint64) {
	if at <= t.last.at {
		return
	}
	if reads < t.last.reads || writes < t.last.writes {
		t.last = trafficReading{}
	}
	t.before, t.last = t.last, trafficReading{at, reads, writes}
}

// during returns the lines moved in dur before end, and whether they are known.
func (t *traffic) during(end units.Instant, dur time.Duration) (reads, writes uint64, known bool) {
	if t.before.at == 0 || end-t.last.at > oldTraffic || dur <= 0 {
		return 0, 0, false
	}
	share := float64(dur) / float64(t.last.at-t.before.at)
	lines := func(before, last uint64) uint64 {
		return uint64(math.Round(float64(last-before) * share))
	}
	return lines(t.before.reads, t.last.reads), lines(t.before.writes, t.last.writes), true
}
