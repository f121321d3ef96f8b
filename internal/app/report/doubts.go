package report

import (
	"fmt"
	"time"

	"github.com/ebb-energy/ebb/governor"
	"github.com/ebb-energy/ebb/internal/render/printable"
	"github.com/ebb-energy/ebb/units"
)

// doubts adds up the times at which the clock was not the reported one.
type doubts struct {
	deaf, limited doubt
	insists       int // number of requests made again
	followed      int // number of times that repeating was enough
}

// doubt counts the times of one kind, and adds up how long they lasted.
type doubt struct {
	times             int
	since             units.Instant // begin of the time that lasts
	lasts             bool
	all               time.Duration
	counted, reported units.Frequency // clocks at the first time
}

func (d *doubts) observe(a *governor.Action, at units.Instant) {
	switch a.Kind {
	case governor.Insist:
		d.insists++
	case governor.Unheeded:
		d.limited.end(at)
		d.deaf.begin(a, at)
	case governor.Limited:
		d.deaf.end(at)
		d.limited.begin(a, at)
	case governor.Heeded:
		if !d.deaf.lasts && !d.limited.lasts {
			d.followed++
		}
		d.deaf.end(at)
		d.limited.end(at)
	}
}

func (d *doubt) begin(a *governor.Action, at units.Instant) {
	if d.lasts {
		return
	}
	if d.times++; d.times == 1 {
		d.counted, d.reported = a.Frequency, a.Reported
	}
	d.since, d.lasts = at, true
}

func (d *doubt) end(at units.Instant) {
	if d.lasts {
		d.all += time.Duration(at - d.since)
		d.lasts = false
	}
}

// warn adds warnings on the times, at the run's end.
func (d *doubts) warn(r *Report, at units.Instant) {
	d.deaf.end(at)
	d.limited.end(at)
	if d.followed > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"requests that the kernel confirmed had no effect, %s, by the cycle counter; "+
				"the clock followed when ebb repeated them, "+
				"and later decisions paid back the lost time as far as they could",
			times(d.followed)))
	}
	if x := &d.deaf; x.times > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"for %s requests had no effect, although the kernel confirmed them and "+
				"ebb repeated them %s: the clock was %s by the cycle counter, %s as reported",
			printable.Duration(x.all), times(d.insists), x.counted.Text(), x.reported.Text()))
	}
	if x := &d.limited; x.times > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf(
			"for %s something limited the clock, and the machine did not report it: "+
				"the clock was %s by the cycle counter, %s as reported. "+
				"The budget counts from the limited clock",
			printable.Duration(x.all), x.counted.Text(), x.reported.Text()))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
