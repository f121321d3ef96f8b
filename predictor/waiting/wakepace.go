package waiting

import (
	"time"

	"github.com/ebb-energy/ebb/predictor/nonscaling"
)

// pace is a stretch of a thread's time, and the frequency it ran at.
type pace struct {
	line nonscaling.Line
	base float64
}

// leastPace is the shortest stretch that shows the pace of a thread, rather than how its counters
// were rounded. A quantum may begin a moment before a thread stops.
const leastPace = 100 * time.Microsecond

// paceOf returns the pace at which a thread ran last, or another's if it ran for too short a time.
func (m *Wake) paceOf(th *thread) int32 {
	if th.line < 0 {
		return -1
	}
	p := pace{m.lines[th.line], m.bases[th.base]}
	if p.line.Measured() >= m.waits.least {
		m.waits.usual = p
	} else if m.waits.usual.base > 0 {
		p = m.waits.usual
	}
	m.waits.paces = append(m.waits.paces, p)
	return int32(len(m.waits.paces) - 1)
}
